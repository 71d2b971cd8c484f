// Command controlplane is a whole Kubernetes control plane in one file.
//
// The five programs share nearly all of their code, so linking them together costs a
// third of the disk and link time of five binaries. Which one runs is decided by the name
// the file is started under; the build makes a symbolic link for each.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	manager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

const exitUsage = 2

func main() {
	os.Exit(run(filepath.Base(os.Args[0])))
}

// run starts the named program and returns its exit status.
func run(name string) int {
	switch name {
	case "etcd":
		etcdmain.Main(os.Args)
		return 0
	case "kube-apiserver":
		return cli.Run(apiserver.NewAPIServerCommand())
	case "kube-controller-manager":
		return cli.Run(manager.NewControllerManagerCommand())
	case "kube-scheduler":
		return cli.Run(scheduler.NewSchedulerCommand())
	case "kubectl":
		return cli.Run(kubectl.NewDefaultKubectlCommand())
	}
	fmt.Fprintf(os.Stderr, "controlplane: no program is called %q: start it through a link named etcd, "+
		"kube-apiserver, kube-controller-manager, kube-scheduler or kubectl\n", name)
	return exitUsage
}
