package main

import (
	"context"
	"errors"

	"github.com/awslabs/operatorpkg/status"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/scheduling"
)

type requirement = v1.NodeSelectorRequirementWithMinValues

// instanceType is an entry of a snapshot's catalog.
type instanceType struct {
	Name         string              `json:"name"`
	Requirements []requirement       `json:"requirements"`
	Capacity     corev1.ResourceList `json:"capacity"`
	Overhead     struct {
		KubeReserved      corev1.ResourceList `json:"kubeReserved"`
		SystemReserved    corev1.ResourceList `json:"systemReserved"`
		EvictionThreshold corev1.ResourceList `json:"evictionThreshold"`
	} `json:"overhead"`
	Offerings []struct {
		Requirements        []requirement `json:"requirements"`
		Price               float64       `json:"price"`
		Available           bool          `json:"available"`
		ReservationCapacity int           `json:"reservationCapacity"`
	} `json:"offerings"`
}

func (t instanceType) karpenter() *cloudprovider.InstanceType {
	made := &cloudprovider.InstanceType{
		Name:         t.Name,
		Requirements: scheduling.NewNodeSelectorRequirementsWithMinValues(t.Requirements...),
		Capacity:     t.Capacity.DeepCopy(),
		Overhead: &cloudprovider.InstanceTypeOverhead{
			KubeReserved:      t.Overhead.KubeReserved.DeepCopy(),
			SystemReserved:    t.Overhead.SystemReserved.DeepCopy(),
			EvictionThreshold: t.Overhead.EvictionThreshold.DeepCopy(),
		},
	}
	for _, o := range t.Offerings {
		made.Offerings = append(made.Offerings, &cloudprovider.Offering{
			Requirements:        scheduling.NewNodeSelectorRequirementsWithMinValues(o.Requirements...),
			Price:               o.Price,
			Available:           o.Available,
			ReservationCapacity: o.ReservationCapacity,
		})
	}
	return made
}

// provider is a cloud that offers what the snapshot's catalogs say and launches nothing.
type provider struct {
	types   map[string][]*cloudprovider.InstanceType // by NodePool
	classes map[schema.GroupKind]status.Object
}

var errOffline = errors.New("the snapshot's cloud cannot be changed")

func newProvider() *provider {
	return &provider{
		types:   map[string][]*cloudprovider.InstanceType{},
		classes: map[schema.GroupKind]status.Object{},
	}
}

// support makes NodePools and NodeClaims with this kind of NodeClass count as Karpenter's own.
func (p *provider) support(kind schema.GroupKind) {
	class := &nodeClass{}
	class.SetGroupVersionKind(kind.WithVersion("v1"))
	p.classes[kind] = class
}

// nodeClass stands for a kind of NodeClass; the scheduler asks it for nothing but that kind.
type nodeClass struct{ unstructured.Unstructured }

func (*nodeClass) GetConditions() []status.Condition { return nil }

func (*nodeClass) SetConditions([]status.Condition) {}

func (c *nodeClass) StatusConditions(opts ...status.ForOption) status.ConditionSet {
	return status.NewReadyConditions().For(c, opts...)
}

func (p *provider) GetSupportedNodeClasses() []status.Object {
	classes := make([]status.Object, 0, len(p.classes))
	for _, class := range p.classes {
		classes = append(classes, class)
	}
	return classes
}

func (p *provider) GetInstanceTypes(_ context.Context, nodePool *v1.NodePool) ([]*cloudprovider.InstanceType, error) {
	return p.types[nodePool.Name], nil
}

func (p *provider) Name() string { return "snapshot" }

func (p *provider) RepairPolicies() []cloudprovider.RepairPolicy { return nil }

func (p *provider) IsDrifted(context.Context, *v1.NodeClaim) (cloudprovider.DriftReason, error) {
	return "", nil
}

func (p *provider) Create(context.Context, *v1.NodeClaim) (*v1.NodeClaim, error) {
	return nil, errOffline
}

func (p *provider) Delete(context.Context, *v1.NodeClaim) error { return errOffline }

func (p *provider) Get(context.Context, string) (*v1.NodeClaim, error) { return nil, errOffline }

func (p *provider) List(context.Context) ([]*v1.NodeClaim, error) { return nil, errOffline }

func (p *provider) Reboot(context.Context, *v1.NodeClaim, string) error { return errOffline }
