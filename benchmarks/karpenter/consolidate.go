package main

import (
	"context"
	"math"
	"time"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
)

// step is what Karpenter's disruption methods would start next, and how long it took to find it.
type step struct {
	Name     string   `json:"name"`
	Snapshot string   `json:"snapshot"`
	Commands []action `json:"commands"`
	Seconds  float64  `json:"seconds"`
}

// action is one command: the nodes that go, what replaces them, and where their pods go.
type action struct {
	Method       string              `json:"method"`
	Nodes        []string            `json:"nodes"`
	Replacements []newNode           `json:"replacements"`
	Existing     map[string][]string `json:"existing"`
	Savings      float64             `json:"savingsPerHour"`
}

// believing takes every command as it is: nothing changes in a snapshot while one waits.
type believing struct{}

func (believing) Validate(_ context.Context, cmd disruption.Command, _ time.Duration) (disruption.Command, error) {
	return cmd, nil
}

// consolidate asks the graceful methods in their order, without budgets; the first that finds something ends it.
func (w *world) consolidate() (*step, error) {
	cloud, err := w.overlaid()
	if err != nil {
		return nil, err
	}
	queue := disruption.NewQueue(w.store, silent{}, w.cluster, w.clock, w.provisioner)
	common := disruption.MakeConsolidation(w.clock, w.cluster, w.store, w.provisioner, cloud, silent{}, queue)
	trusting := disruption.WithValidator(believing{})
	methods := []disruption.Method{
		disruption.NewEmptiness(common, trusting),
		disruption.NewMultiNodeConsolidation(common, trusting),
		disruption.NewSingleNodeConsolidation(common, trusting),
	}
	budgets := map[string]int{}
	for _, pool := range every[*v1.NodePool](w.store) {
		budgets[pool.Name] = math.MaxInt32
	}
	found := &step{Commands: []action{}}
	start := time.Now()
	for _, method := range methods {
		candidates, err := disruption.GetCandidates(w.ctx, w.cluster, w.store, silent{}, w.clock, cloud,
			method.ShouldDisrupt, method.Class(), queue)
		if err != nil {
			return nil, err
		}
		commands, err := method.ComputeCommands(w.ctx, budgets, candidates...)
		if err != nil {
			return nil, err
		}
		for _, command := range commands {
			if len(command.Candidates) > 0 {
				found.Commands = append(found.Commands, actionOf(method.ConsolidationType(), command))
			}
		}
		if len(found.Commands) > 0 {
			break
		}
	}
	found.Seconds = time.Since(start).Seconds()
	return found, nil
}

func actionOf(method string, command disruption.Command) action {
	done := action{Method: method, Replacements: []newNode{}, Existing: map[string][]string{}, Savings: command.EstimatedSavings()}
	done.Nodes = command.SourceNodeNames()
	for _, replacement := range command.Replacements {
		done.Replacements = append(done.Replacements, nodeOf(replacement.NodeClaim))
	}
	for _, node := range command.Results.ExistingNodes {
		if len(node.Pods) > 0 {
			done.Existing[node.Name()] = names(node.Pods)
		}
	}
	return done
}
