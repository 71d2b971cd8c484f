package main

import (
	"context"
	"fmt"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/apis/v1alpha1"
)

// store is the read side of a Kubernetes client over the objects of one snapshot. It answers as the
// controller's cache does: by index, and with deep copies. (controller-runtime's fake client goes
// through JSON on every read, which would be charged to the scheduler's time.) The scheduler only
// reads; a call of any other method panics, and the panic becomes the error of that problem.
type store struct {
	client.Client
	objects map[reflect.Type]*shelf
	onNode  map[string][]client.Object
}

// shelf holds the objects of one type, in the order in which they came.
type shelf struct {
	byName map[types.NamespacedName]client.Object
	all    []client.Object
}

var clusterScoped = map[reflect.Type]bool{
	reflect.TypeFor[*corev1.Node]():                true,
	reflect.TypeFor[*corev1.Namespace]():           true,
	reflect.TypeFor[*corev1.PersistentVolume]():    true,
	reflect.TypeFor[*storagev1.StorageClass]():     true,
	reflect.TypeFor[*storagev1.CSINode]():          true,
	reflect.TypeFor[*storagev1.VolumeAttachment](): true,
	reflect.TypeFor[*schedulingv1.PriorityClass](): true,
	reflect.TypeFor[*v1.NodePool]():                true,
	reflect.TypeFor[*v1.NodeClaim]():               true,
	reflect.TypeFor[*v1alpha1.NodeOverlay]():       true,
}

func newStore() *store {
	return &store{objects: map[reflect.Type]*shelf{}, onNode: map[string][]client.Object{}}
}

func keyOf(kind reflect.Type, key types.NamespacedName) types.NamespacedName {
	if clusterScoped[kind] {
		key.Namespace = ""
	} else if key.Namespace == "" {
		key.Namespace = corev1.NamespaceDefault
	}
	return key
}

func (s *store) add(object client.Object) error {
	kind := reflect.TypeOf(object)
	key := keyOf(kind, client.ObjectKeyFromObject(object))
	object.SetNamespace(key.Namespace)
	on := s.objects[kind]
	if on == nil {
		on = &shelf{byName: map[types.NamespacedName]client.Object{}}
		s.objects[kind] = on
	}
	if _, twice := on.byName[key]; twice {
		return fmt.Errorf("two objects of type %s are named %s", kind.Elem().Name(), key)
	}
	on.byName[key] = object
	on.all = append(on.all, object)
	if pod, ok := object.(*corev1.Pod); ok {
		s.onNode[pod.Spec.NodeName] = append(s.onNode[pod.Spec.NodeName], pod)
	}
	return nil
}

// every gives the stored objects of one type themselves, not copies.
func every[T client.Object](s *store) []T {
	on := s.objects[reflect.TypeFor[T]()]
	if on == nil {
		return nil
	}
	found := make([]T, len(on.all))
	for i, object := range on.all {
		found[i] = object.(T)
	}
	return found
}

func (s *store) Get(_ context.Context, key client.ObjectKey, out client.Object, _ ...client.GetOption) error {
	kind := reflect.TypeOf(out)
	if on := s.objects[kind]; on != nil {
		if object, ok := on.byName[keyOf(kind, key)]; ok {
			reflect.ValueOf(out).Elem().Set(reflect.ValueOf(object.DeepCopyObject()).Elem())
			return nil
		}
	}
	return apierrors.NewNotFound(schema.GroupResource{Resource: kind.Elem().Name()}, key.Name)
}

func (s *store) List(_ context.Context, out client.ObjectList, opts ...client.ListOption) error {
	var query client.ListOptions
	query.ApplyOptions(opts)
	items := reflect.ValueOf(out).Elem().FieldByName("Items")
	candidates, err := s.candidates(reflect.PointerTo(items.Type().Elem()), query)
	if err != nil {
		return err
	}
	found := reflect.MakeSlice(items.Type(), 0, 0)
	for _, object := range candidates {
		if query.Namespace != "" && object.GetNamespace() != query.Namespace {
			continue
		}
		if query.LabelSelector != nil && !query.LabelSelector.Matches(labels.Set(object.GetLabels())) {
			continue
		}
		if query.UnsafeDisableDeepCopy == nil || !*query.UnsafeDisableDeepCopy {
			object = object.DeepCopyObject().(client.Object)
		}
		found = reflect.Append(found, reflect.ValueOf(object).Elem())
	}
	items.Set(found)
	return nil
}

func (s *store) candidates(kind reflect.Type, query client.ListOptions) ([]client.Object, error) {
	if query.FieldSelector == nil || query.FieldSelector.Empty() {
		if on := s.objects[kind]; on != nil {
			return on.all, nil
		}
		return nil, nil
	}
	if node, ok := query.FieldSelector.RequiresExactMatch("spec.nodeName"); ok && kind == reflect.TypeFor[*corev1.Pod]() {
		return s.onNode[node], nil
	}
	return nil, fmt.Errorf("%s has no index for %s", kind.Elem().Name(), query.FieldSelector)
}

// Status takes the one write that is made on the way to a decision, the conditions of NodeOverlays,
// and drops it.
func (s *store) Status() client.SubResourceWriter { return dropped{} }

type dropped struct{ client.SubResourceWriter }

func (dropped) Patch(context.Context, client.Object, client.Patch, ...client.SubResourcePatchOption) error {
	return nil
}
