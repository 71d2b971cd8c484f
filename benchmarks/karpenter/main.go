// karpenter-peer runs the scheduler of sigs.k8s.io/karpenter on Nodewright snapshots and prints its
// plans, one JSON line per snapshot and run. Benchmarks and differential tests use it.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

type failure struct {
	Name     string `json:"name"`
	Snapshot string `json:"snapshot"`
	Error    string `json:"error"`
}

func main() {
	// a set of its own: the default one carries the flags of the libraries
	flags := flag.NewFlagSet("karpenter-peer", flag.ContinueOnError)
	workers := flags.Int("workers", 1, "candidates that the scheduler looks at in parallel")
	runs := flags.Int("runs", 1, "times to run each snapshot, each from a fresh state")
	consolidating := flags.Bool("consolidate", false, "ask which nodes would go instead of placing pods")
	list := flags.Bool("list", false, "read snapshot paths from standard input, one per line")
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "usage: karpenter-peer [-workers N] [-runs K] SNAPSHOT... | -list")
		flags.PrintDefaults()
	}
	if err := flags.Parse(os.Args[1:]); errors.Is(err, flag.ErrHelp) {
		return
	} else if err != nil {
		os.Exit(2)
	}
	if *workers < 1 || *runs < 1 || (flags.NArg() == 0) == !*list {
		flags.Usage()
		os.Exit(2)
	}
	log.SetLogger(logr.Discard())
	ok := true
	for _, path := range flags.Args() {
		ok = runAll(os.Stdout, path, *workers, *runs, *consolidating) && ok
	}
	if *list {
		lines := bufio.NewScanner(os.Stdin)
		for lines.Scan() {
			if path := strings.TrimSpace(lines.Text()); path != "" {
				ok = runAll(os.Stdout, path, *workers, *runs, *consolidating) && ok
			}
		}
	}
	if !ok {
		os.Exit(2)
	}
}

// runAll prints the answers for one snapshot, or one line with its error, and says if it went well.
func runAll(out io.Writer, path string, workers, runs int, consolidating bool) bool {
	snap, err := readSnapshot(path)
	for run := 0; run < runs && err == nil; run++ {
		if consolidating {
			var said *step
			if said, err = shrink(snap); err == nil {
				said.Snapshot = path
				err = json.NewEncoder(out).Encode(said)
			}
			continue
		}
		var said *answer
		if said, err = solve(snap, workers); err == nil {
			said.Snapshot, said.Run = path, run
			err = json.NewEncoder(out).Encode(said)
		}
	}
	if err == nil {
		return true
	}
	failed := failure{Name: path, Snapshot: path, Error: err.Error()}
	if snap != nil && snap.Metadata.Name != "" {
		failed.Name = snap.Metadata.Name
	}
	fmt.Fprintf(os.Stderr, "karpenter-peer: %s: %s\n", path, err)
	if err := json.NewEncoder(out).Encode(failed); err != nil {
		fmt.Fprintf(os.Stderr, "karpenter-peer: %s\n", err)
	}
	return false
}

// solve runs one snapshot once. A panic inside Karpenter is the error of that snapshot only.
func solve(snap *snapshot, workers int) (said *answer, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			debug.PrintStack()
			err = fmt.Errorf("karpenter panicked: %v", cause)
		}
	}()
	w, err := newWorld(snap)
	if err != nil {
		return nil, err
	}
	done, err := w.schedule(workers)
	if err != nil {
		return nil, err
	}
	said = done.answer()
	said.Name, said.Workers = snap.Metadata.Name, workers
	return said, nil
}

// shrink asks once which nodes would go.
func shrink(snap *snapshot) (said *step, err error) {
	w, err := newWorld(snap)
	if err != nil {
		return nil, err
	}
	if said, err = w.consolidate(); err == nil {
		said.Name = snap.Metadata.Name
	}
	return said, err
}
