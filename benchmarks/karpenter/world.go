package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/apis/v1alpha1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/cloudprovider/overlay"
	"sigs.k8s.io/karpenter/pkg/controllers/nodeoverlay"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/events"
	"sigs.k8s.io/karpenter/pkg/operator/injection"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	nodeclaimutils "sigs.k8s.io/karpenter/pkg/utils/nodeclaim"
	podutils "sigs.k8s.io/karpenter/pkg/utils/pod"
)

// world is one snapshot as Karpenter sees it: a client, a cloud, the cluster state built from them.
type world struct {
	ctx         context.Context
	opts        snapshotOptions
	clock       *clocktesting.FakeClock
	store       *store
	cloud       *provider
	cluster     *state.Cluster
	provisioner *provisioning.Provisioner
}

// outcome is what one run of the scheduler gave.
type outcome struct {
	results scheduling.Results
	ignored map[*corev1.Pod]error // pods that Karpenter leaves out before it schedules
	seconds float64
}

type silent struct{}

func (silent) Publish(...events.Event) {}

// newWorld decodes the snapshot and brings the cluster state up to it, as the informers would.
func newWorld(snap *snapshot) (*world, error) {
	setLabels(snap.Options)
	settings, err := karpenterOptions(snap.Options)
	if err != nil {
		return nil, err
	}
	ctx := options.ToContext(context.Background(), settings)
	w := &world{
		ctx:   injection.WithControllerName(ctx, "provisioner"),
		opts:  snap.Options,
		clock: clocktesting.NewFakeClock(snap.Metadata.TakenAt),
		store: newStore(),
		cloud: newProvider(),
	}
	objects, err := snap.decodeObjects()
	if err != nil {
		return nil, err
	}
	for _, object := range objects {
		keep, err := w.admit(snap, object)
		if err != nil {
			return nil, err
		}
		if keep {
			if err := w.store.add(object); err != nil {
				return nil, err
			}
		}
	}
	w.pairNodes()
	w.cluster = state.NewCluster(w.clock, w.store, w.cloud)
	if err := w.fillCluster(); err != nil {
		return nil, err
	}
	cloud, err := w.overlaid()
	if err != nil {
		return nil, err
	}
	w.provisioner = provisioning.NewProvisioner(w.store, silent{}, cloud, w.cluster, w.clock, nil, nil)
	return w, nil
}

// admit fills in what the API server and Karpenter's own controllers would have, and says whether
// the object takes part.
func (w *world) admit(snap *snapshot, object client.Object) (bool, error) {
	if object.GetUID() == "" { // the scheduler keys pods by UID
		object.SetUID(types.UID(fmt.Sprintf("%T/%s/%s", object, object.GetNamespace(), object.GetName())))
	}
	switch o := object.(type) {
	case *corev1.Pod:
		for i := range o.Spec.InitContainers {
			defaultRequests(&o.Spec.InitContainers[i].Resources)
		}
		for i := range o.Spec.Containers {
			defaultRequests(&o.Spec.Containers[i].Resources)
		}
	case *v1.NodePool:
		return w.admitNodePool(snap, o)
	}
	return true, nil
}

func defaultRequests(resources *corev1.ResourceRequirements) {
	if len(resources.Limits) == 0 {
		return
	}
	merged := maps.Clone(resources.Limits)
	maps.Copy(merged, resources.Requests)
	resources.Requests = merged
}

var ec2NodeClass = schema.GroupKind{Group: "karpenter.k8s.aws", Kind: "EC2NodeClass"}

func (w *world) admitNodePool(snap *snapshot, pool *v1.NodePool) (bool, error) {
	if pool.Spec.Template.Spec.NodeClassRef == nil {
		pool.Spec.Template.Spec.NodeClassRef = &v1.NodeClassReference{
			Group: ec2NodeClass.Group, Kind: ec2NodeClass.Kind, Name: "default",
		}
	}
	kind := pool.Spec.Template.Spec.NodeClassRef.GroupKind()
	catalog, ok, err := snap.catalogFor(pool.Name)
	if err != nil {
		return false, err
	}
	if !ok && pool.Spec.Replicas == nil {
		if kind == ec2NodeClass {
			return false, fmt.Errorf("NodePool %s has no entry under instanceTypes: Karpenter has no"+
				" built-in EC2 catalog, so write the instance types into the snapshot", pool.Name)
		}
		return false, nil // another provider's pool
	}
	for _, entry := range catalog {
		w.cloud.types[pool.Name] = append(w.cloud.types[pool.Name], entry.karpenter())
	}
	w.cloud.support(kind)
	if len(pool.Status.Conditions) == 0 && pool.RuntimeValidate(w.ctx) == nil {
		pool.StatusConditions().SetTrue(v1.ConditionTypeValidationSucceeded)
		pool.StatusConditions().SetTrue(v1.ConditionTypeNodeClassReady)
	}
	return true, nil
}

// pairNodes gives Nodes and NodeClaims of a snapshot made by hand the provider ids that tie them
// together on a live cluster.
func (w *world) pairNodes() {
	ids := map[string]string{}
	for _, node := range every[*corev1.Node](w.store) {
		if node.Spec.ProviderID == "" {
			node.Spec.ProviderID = "snapshot:///" + node.Name
		}
		ids[node.Name] = node.Spec.ProviderID
	}
	for _, claim := range every[*v1.NodeClaim](w.store) {
		if claim.Status.ProviderID == "" {
			claim.Status.ProviderID = ids[claim.Status.NodeName]
		}
	}
}

// overlaid gives the cloud as the scheduler sees it, with the snapshot's NodeOverlays applied.
func (w *world) overlaid() (cloudprovider.CloudProvider, error) {
	gates := options.FromContext(w.ctx).FeatureGates
	if !gates.NodeOverlay || len(every[*v1alpha1.NodeOverlay](w.store)) == 0 {
		return w.cloud, nil
	}
	changes := nodeoverlay.NewInstanceTypeStore()
	controller := nodeoverlay.NewController(w.clock, w.store, w.cloud, changes, w.cluster)
	if _, err := controller.Reconcile(w.ctx, reconcile.Request{}); err != nil {
		return nil, err
	}
	return overlay.Decorate(w.cloud, w.store, changes), nil
}

func (w *world) fillCluster() error {
	for _, claim := range every[*v1.NodeClaim](w.store) {
		if claim.Spec.NodeClassRef != nil && nodeclaimutils.IsManaged(claim, w.cloud) {
			w.cluster.UpdateNodeClaim(claim.DeepCopy())
		}
	}
	for _, node := range every[*corev1.Node](w.store) {
		if err := w.cluster.UpdateNode(w.ctx, node.DeepCopy()); err != nil {
			return fmt.Errorf("node %s: %w", node.Name, err)
		}
	}
	for _, pod := range every[*corev1.Pod](w.store) {
		// a pod can outlive its Node object; Karpenter does not count it then
		err := w.cluster.UpdatePod(w.ctx, pod.DeepCopy())
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("pod %s: %w", client.ObjectKeyFromObject(pod), err)
		}
	}
	for _, daemon := range every[*appsv1.DaemonSet](w.store) {
		if err := w.cluster.UpdateDaemonSet(w.ctx, daemon.DeepCopy()); err != nil {
			return fmt.Errorf("daemonset %s: %w", client.ObjectKeyFromObject(daemon), err)
		}
	}
	return nil
}

// toPlace says whether a pod is waiting for a node, by the snapshot's rule.
func (w *world) toPlace(pod *corev1.Pod) bool {
	if w.opts.PendingRule == "live" {
		return podutils.IsProvisionable(pod)
	}
	owned := slices.ContainsFunc(pod.OwnerReferences, func(owner metav1.OwnerReference) bool {
		return owner.Kind == "DaemonSet" || owner.Kind == "Node"
	})
	return pod.Spec.NodeName == "" && len(pod.Spec.SchedulingGates) == 0 && !owned
}

// schedule runs Karpenter's scheduler once. Only Solve is timed.
func (w *world) schedule(workers int) (*outcome, error) {
	done := &outcome{ignored: map[*corev1.Pod]error{}}
	nodes := w.cluster.DeepCopyNodes()
	var pods []*corev1.Pod
	for _, stored := range every[*corev1.Pod](w.store) {
		if !w.toPlace(stored) {
			continue
		}
		pod := stored.DeepCopy()
		if err := w.provisioner.Validate(w.ctx, pod); err != nil {
			done.ignored[pod] = err
			continue
		}
		pods = append(pods, pod)
	}
	moving, err := nodes.Deleting().CurrentlyReschedulablePods(w.ctx, w.store, w.clock, silent{})
	if err != nil {
		return nil, err
	}
	movingUIDs := sets.New[types.UID]()
	for _, pod := range moving {
		movingUIDs.Insert(pod.UID)
	}
	pods = append(pods, moving...)
	if len(pods) == 0 {
		return done, nil
	}
	scheduler, err := w.provisioner.NewScheduler(w.ctx, pods, nodes.Active(), movingUIDs, w.schedulerOptions(workers)...)
	if errors.Is(err, provisioning.ErrNodePoolsNotFound) {
		for _, pod := range pods {
			done.ignored[pod] = err
		}
		return done, nil
	}
	if err != nil {
		return nil, err
	}
	runtime.GC() // the garbage of decoding is not the scheduler's to sweep
	start := time.Now()
	done.results, err = scheduler.Solve(w.ctx, pods)
	done.seconds = time.Since(start).Seconds()
	return done, err
}

func (w *world) schedulerOptions(workers int) []scheduling.Options {
	chosen := []scheduling.Options{
		scheduling.NumConcurrentReconciles(workers),
		scheduling.MinValuesPolicy(options.FromContext(w.ctx).MinValuesPolicy),
	}
	if options.FromContext(w.ctx).PreferencePolicy == options.PreferencePolicyIgnore {
		chosen = append(chosen, scheduling.IgnorePreferences)
	}
	mode := w.opts.ReservedOfferingMode
	if mode == "Strict" || mode == "" && !w.opts.ConsolidationSimulation {
		chosen = append(chosen, scheduling.DisableReservedCapacityFallback)
	}
	if w.opts.ConsolidationSimulation {
		chosen = append(chosen, scheduling.IsConsolidationSimulation)
	}
	return chosen
}
