package main

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	karpenter "sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	"sigs.k8s.io/karpenter/pkg/scheduling"
)

// answer is one line of output, in the shape of `nodewright plan -o json`.
type answer struct {
	Name          string             `json:"name"`
	Snapshot      string             `json:"snapshot"`
	Workers       int                `json:"workers"`
	Run           int                `json:"run"`
	NewNodes      []newNode          `json:"newNodes"`
	ExistingNodes []existingNode     `json:"existingNodes"`
	Unschedulable map[string]refusal `json:"unschedulable"`
	PricePerHour  float64            `json:"pricePerHour"`
	SolveSeconds  float64            `json:"solveSeconds"`
}

type newNode struct {
	NodePool      string              `json:"nodePool"`
	Pods          []string            `json:"pods"`
	InstanceTypes []string            `json:"instanceTypes"`
	Offering      *offering           `json:"offering"`
	Requirements  []requirement       `json:"requirements"`
	Requests      corev1.ResourceList `json:"requests"`
}

type offering struct {
	InstanceType string  `json:"instanceType"`
	Zone         string  `json:"zone"`
	CapacityType string  `json:"capacityType"`
	Price        float64 `json:"price"`
}

type existingNode struct {
	Name string   `json:"name"`
	Pods []string `json:"pods"`
}

// refusal says why a pod is not placed. Kind is "unschedulable", "reservedOffering" (put off),
// "dynamicResources", or "ignored" (refused before scheduling).
type refusal struct {
	Summary  string `json:"summary"`
	Kind     string `json:"kind"`
	Deferred bool   `json:"deferred"`
}

func (done *outcome) answer() *answer {
	said := &answer{
		NewNodes:      []newNode{},
		ExistingNodes: []existingNode{},
		Unschedulable: map[string]refusal{},
		SolveSeconds:  done.seconds,
	}
	for _, claim := range done.results.NewNodeClaims {
		node := nodeOf(claim)
		if node.Offering != nil {
			said.PricePerHour += node.Offering.Price
		}
		said.NewNodes = append(said.NewNodes, node)
	}
	for _, node := range done.results.ExistingNodes {
		if len(node.Pods) > 0 {
			said.ExistingNodes = append(said.ExistingNodes, existingNode{node.Name(), names(node.Pods)})
		}
	}
	for pod, err := range done.results.PodErrors {
		why := refusal{Summary: err.Error(), Kind: "unschedulable"}
		if karpenter.IsReservedOfferingError(err) {
			why.Kind, why.Deferred = "reservedOffering", true
		} else if karpenter.IsDRAError(err) {
			why.Kind = "dynamicResources"
		}
		said.Unschedulable[client.ObjectKeyFromObject(pod).String()] = why
	}
	for pod, err := range done.ignored {
		said.Unschedulable[client.ObjectKeyFromObject(pod).String()] = refusal{Summary: err.Error(), Kind: "ignored"}
	}
	return said
}

func names(pods []*corev1.Pod) []string {
	found := make([]string, len(pods))
	for i, pod := range pods {
		found[i] = client.ObjectKeyFromObject(pod).String()
	}
	return found
}

func nodeOf(claim *karpenter.NodeClaim) newNode {
	node := newNode{
		NodePool:      claim.NodePoolName,
		Pods:          names(claim.Pods),
		InstanceTypes: []string{},
		Requirements:  requirementsOf(claim.Requirements),
		Requests:      claim.Spec.Resources.Requests,
	}
	var cheapest []offering
	for _, it := range claim.InstanceTypeOptions {
		if of, ok := cheapestOf(it, claim.Requirements); ok {
			cheapest = append(cheapest, of)
		}
	}
	slices.SortStableFunc(cheapest, func(a, b offering) int { return cmp.Compare(a.Price, b.Price) })
	for _, of := range cheapest {
		node.InstanceTypes = append(node.InstanceTypes, of.InstanceType)
	}
	if len(cheapest) > 0 {
		node.Offering = &cheapest[0]
	}
	return node
}

// cheapestOf is the cheapest offering of the type that can be launched within the requirements.
// There may be none: a claim that holds reservations keeps the types that it did not reserve.
func cheapestOf(it *cloudprovider.InstanceType, within scheduling.Requirements) (best offering, found bool) {
	for _, of := range it.Offerings.Launchable().Compatible(within) {
		if !found || of.Price < best.Price {
			best, found = offering{it.Name, of.Zone(), of.CapacityType(), of.Price}, true
		}
	}
	return best, found
}

func requirementsOf(all scheduling.Requirements) []requirement {
	// Karpenter adds these two so that daemon pods which ask for them are counted; they are not
	// part of what is launched.
	listed := slices.DeleteFunc(all.NodeSelectorRequirements(), func(r requirement) bool {
		return r.Key == v1.NodeRegisteredLabelKey || r.Key == v1.NodeInitializedLabelKey
	})
	slices.SortStableFunc(listed, func(a, b requirement) int { return cmp.Compare(a.Key, b.Key) })
	return listed
}
