package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const catalog = `[
  {"name": "small", "capacity": {"cpu": "2", "memory": "4Gi", "pods": "10"},
   "overhead": {"kubeReserved": {"cpu": "100m"}},
   "requirements": [
     {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["small"]},
     {"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]},
     {"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]},
     {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["a", "b"]},
     {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand", "spot"]}],
   "offerings": [
     {"price": 0.2, "available": true, "requirements": [
       {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["a"]},
       {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]}]},
     {"price": 0.05, "available": false, "requirements": [
       {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["a"]},
       {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["spot"]}]},
     {"price": 0.1, "available": true, "requirements": [
       {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["b"]},
       {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["spot"]}]}]}]`

const nodePool = `{"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "default"},
  "spec": {"template": {"spec": {"requirements": [],
    "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}}}}}`

func pod(name, cpu, more string) string {
	return fmt.Sprintf(`{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": %q, "namespace": "default"},
	  "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": %q}}}]%s}}`, name, cpu, more)
}

func document(options string, objects ...string) []byte {
	return fmt.Appendf(nil, `{"metadata": {"name": "test"}, "catalogs": {"a": %s},
	  "instanceTypes": {"default": "a"}, "options": {%s}, "objects": [%s]}`,
		catalog, options, strings.Join(objects, ","))
}

func plan(t *testing.T, data []byte) *answer {
	t.Helper()
	snap, err := parseSnapshot(data)
	if err != nil {
		t.Fatal(err)
	}
	said, err := solve(snap, 1)
	if err != nil {
		t.Fatal(err)
	}
	return said
}

func TestAPodThatFitsGetsTheCheapestAvailableOffering(t *testing.T) {
	said := plan(t, document("", nodePool, pod("fits", "1", ""), pod("huge", "8", "")))
	if len(said.NewNodes) != 1 || !slices.Equal(said.NewNodes[0].Pods, []string{"default/fits"}) {
		t.Fatalf("new nodes: %+v", said.NewNodes)
	}
	if want := (offering{"small", "b", "spot", 0.1}); *said.NewNodes[0].Offering != want {
		t.Errorf("offering is %+v, not %+v", *said.NewNodes[0].Offering, want)
	}
	if said.PricePerHour != 0.1 {
		t.Errorf("price is %v", said.PricePerHour)
	}
	if why, ok := said.Unschedulable["default/huge"]; !ok || why.Kind != "unschedulable" || why.Summary == "" {
		t.Errorf("unschedulable: %+v", said.Unschedulable)
	}
}

func TestARunningNodeIsFilledBeforeANewOneIsMade(t *testing.T) {
	node := `{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "here",
	    "labels": {"kubernetes.io/hostname": "here"}},
	  "status": {"capacity": {"cpu": "2", "pods": "10"}, "allocatable": {"cpu": "2", "pods": "10"}}}`
	running := pod("running", "1500m", `, "nodeName": "here"`)
	said := plan(t, document("", nodePool, node, running, pod("little", "400m", ""), pod("more", "1", "")))
	if len(said.ExistingNodes) != 1 || !slices.Equal(said.ExistingNodes[0].Pods, []string{"default/little"}) {
		t.Errorf("existing nodes: %+v", said.ExistingNodes)
	}
	if len(said.NewNodes) != 1 || !slices.Equal(said.NewNodes[0].Pods, []string{"default/more"}) {
		t.Errorf("new nodes: %+v", said.NewNodes)
	}
}

func TestPodsOnADeletingNodeArePlannedForUnlessTheyMayNotMove(t *testing.T) {
	claim := `{"apiVersion": "karpenter.sh/v1", "kind": "NodeClaim", "metadata": {"name": "old",
	    "deletionTimestamp": "2026-01-01T00:00:00Z", "labels": {"karpenter.sh/nodepool": "default"}},
	  "spec": {"requirements": [],
	    "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}},
	  "status": {"nodeName": "old-node", "capacity": {"cpu": "2"}, "allocatable": {"cpu": "2"}}}`
	node := `{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "old-node", "labels": {
	    "karpenter.sh/nodepool": "default", "karpenter.sh/registered": "true",
	    "karpenter.sh/initialized": "true", "node.kubernetes.io/instance-type": "small"}},
	  "status": {"capacity": {"cpu": "2", "pods": "10"}, "allocatable": {"cpu": "2", "pods": "10"}}}`
	moves := pod("moves", "500m", `, "nodeName": "old-node"`)
	stays := strings.Replace(pod("stays", "500m", `, "nodeName": "old-node"`), `"namespace"`,
		`"annotations": {"karpenter.sh/do-not-disrupt": "true"}, "namespace"`, 1)
	said := plan(t, document("", nodePool, claim, node, moves, stays))
	if len(said.NewNodes) != 1 || !slices.Equal(said.NewNodes[0].Pods, []string{"default/moves"}) {
		t.Errorf("new nodes: %+v, unschedulable: %+v", said.NewNodes, said.Unschedulable)
	}
}

func TestANodeOverlayChangesThePrice(t *testing.T) {
	overlay := `{"apiVersion": "karpenter.sh/v1alpha1", "kind": "NodeOverlay", "metadata": {"name": "dear"},
	  "spec": {"price": "0.3", "requirements": [
	    {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["spot"]}]}}`
	on := plan(t, document("", nodePool, overlay, pod("fits", "1", "")))
	off := plan(t, document(`"featureGates": {"NodeOverlay": false}`, nodePool, overlay, pod("fits", "1", "")))
	if on.PricePerHour != 0.2 || off.PricePerHour != 0.1 {
		t.Errorf("price is %v with the overlay and %v without", on.PricePerHour, off.PricePerHour)
	}
}

func TestWellKnownLabelsOfOneProblemDoNotReachTheNext(t *testing.T) {
	picky := pod("picky", "1", `, "nodeSelector": {"example.com/color": "red"}`)
	if said := plan(t, document(`"wellKnownLabels": ["example.com/color"]`, nodePool, picky)); len(said.NewNodes) != 1 {
		t.Errorf("a well-known label may be undefined on the pool: %+v", said.Unschedulable)
	}
	if said := plan(t, document("", nodePool, picky)); len(said.Unschedulable) != 1 {
		t.Errorf("a custom label may not: %+v", said.NewNodes)
	}
}

func TestABadSnapshotIsOneErrorLineAndTheRestGoOn(t *testing.T) {
	folder := t.TempDir()
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	if _, err := writer.Write(document("", nodePool, pod("fits", "1", ""))); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	noCatalog := fmt.Appendf(nil, `{"metadata": {"name": "bare"}, "objects": [%s]}`, nodePool)
	var out bytes.Buffer
	for name, data := range map[string][]byte{"bare.json": noCatalog, "good.json.gz": packed.Bytes()} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if ok := runAll(&out, path, 5, 2, false); ok != (name == "good.json.gz") {
			t.Errorf("%s: ok is %v", name, ok)
		}
	}
	lines := map[string]int{}
	for decoder := json.NewDecoder(&out); decoder.More(); {
		var line struct{ Name, Error string }
		if err := decoder.Decode(&line); err != nil {
			t.Fatal(err)
		}
		lines[line.Name]++
		if (line.Name == "bare") != strings.Contains(line.Error, "instanceTypes") {
			t.Errorf("%s: error is %q", line.Name, line.Error)
		}
	}
	if lines["bare"] != 1 || lines["test"] != 2 {
		t.Errorf("lines: %v", lines)
	}
}
