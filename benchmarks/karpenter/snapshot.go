package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	_ "sigs.k8s.io/karpenter/pkg/apis/v1" // registers NodePool and NodeClaim
	_ "sigs.k8s.io/karpenter/pkg/apis/v1alpha1"
)

// snapshot is the Nodewright snapshot document. Objects stay raw so that every run decodes its own
// copies: Karpenter's scheduler writes into the pods it is given.
type snapshot struct {
	Metadata struct {
		Name    string    `json:"name"`
		TakenAt time.Time `json:"takenAt"`
	} `json:"metadata"`
	Objects       []json.RawMessage          `json:"objects"`
	Catalogs      map[string][]instanceType  `json:"catalogs"`
	InstanceTypes map[string]json.RawMessage `json:"instanceTypes"`
	Options       snapshotOptions            `json:"options"`
}

type snapshotOptions struct {
	PreferencePolicy        string          `json:"preferencePolicy"`
	MinValuesPolicy         string          `json:"minValuesPolicy"`
	FeatureGates            map[string]bool `json:"featureGates"`
	WellKnownLabels         []string        `json:"wellKnownLabels"`
	ReservationIDLabel      string          `json:"reservationIDLabel"`
	ReservedOfferingMode    string          `json:"reservedOfferingMode"`
	ConsolidationSimulation bool            `json:"consolidationSimulation"`
	PendingRule             string          `json:"pendingRule"`
}

// readSnapshot reads a plain or gzip snapshot from a path, or from standard input for "-".
func readSnapshot(path string) (*snapshot, error) {
	var data []byte
	var err error
	if path == "-" {
		data, err = io.ReadAll(os.Stdin)
	} else {
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, err
	}
	return parseSnapshot(data)
}

func parseSnapshot(data []byte) (*snapshot, error) {
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		unpacked, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, fmt.Errorf("not a gzip file: %w", err)
		}
		if data, err = io.ReadAll(unpacked); err != nil {
			return nil, fmt.Errorf("broken gzip file: %w", err)
		}
	}
	snap := &snapshot{}
	if err := json.Unmarshal(data, snap); err != nil {
		return nil, fmt.Errorf("not a snapshot: %w", err)
	}
	if snap.Metadata.TakenAt.IsZero() {
		snap.Metadata.TakenAt = newestTime(snap.Objects)
	}
	return snap, nil
}

// catalogFor gives the instance types of a NodePool, and whether the snapshot names any.
func (s *snapshot) catalogFor(nodePool string) ([]instanceType, bool, error) {
	raw, ok := s.InstanceTypes[nodePool]
	if !ok {
		return nil, false, nil
	}
	var name string
	if err := json.Unmarshal(raw, &name); err == nil {
		types, ok := s.Catalogs[name]
		if !ok {
			return nil, false, fmt.Errorf("instanceTypes.%s: no catalog is named %q", nodePool, name)
		}
		return types, true, nil
	}
	var types []instanceType
	if err := json.Unmarshal(raw, &types); err != nil {
		return nil, false, fmt.Errorf("instanceTypes.%s: %w", nodePool, err)
	}
	return types, true, nil
}

// decodeObjects turns the raw objects into Kubernetes and Karpenter types. Kinds that neither knows
// (an EC2NodeClass) have no part in the scheduler's decision and are left out.
func (s *snapshot) decodeObjects() ([]client.Object, error) {
	var objects []client.Object
	for i, raw := range s.Objects {
		decoded, err := decodeObject(raw)
		if err != nil {
			return nil, fmt.Errorf("objects[%d]: %w", i, err)
		}
		objects = append(objects, decoded...)
	}
	return objects, nil
}

func decodeObject(raw json.RawMessage) ([]client.Object, error) {
	var head struct {
		APIVersion string            `json:"apiVersion"`
		Kind       string            `json:"kind"`
		Items      []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return nil, err
	}
	if head.Kind == "List" {
		var objects []client.Object
		for i, item := range head.Items {
			decoded, err := decodeObject(item)
			if err != nil {
				return nil, fmt.Errorf("items[%d]: %w", i, err)
			}
			objects = append(objects, decoded...)
		}
		return objects, nil
	}
	kind := schema.FromAPIVersionAndKind(head.APIVersion, head.Kind)
	if !scheme.Scheme.Recognizes(kind) {
		return nil, nil
	}
	fresh, err := scheme.Scheme.New(kind)
	if err != nil {
		return nil, err
	}
	object, ok := fresh.(client.Object)
	if !ok {
		return nil, fmt.Errorf("kind %s is not an object", head.Kind)
	}
	if err := json.Unmarshal(raw, object); err != nil {
		return nil, fmt.Errorf("%s: %w", head.Kind, err)
	}
	return []client.Object{object}, nil
}

// newestTime is the latest RFC 3339 time in any object: the "now" of a snapshot without takenAt.
func newestTime(objects []json.RawMessage) time.Time {
	newest := time.Unix(0, 0).UTC()
	for _, raw := range objects {
		decoder := json.NewDecoder(bytes.NewReader(raw))
		for {
			token, err := decoder.Token()
			if err != nil {
				break // the end of this object
			}
			if text, ok := token.(string); ok && len(text) >= len("2006-01-02T15:04:05Z") {
				if at, err := time.Parse(time.RFC3339, text); err == nil && at.After(newest) {
					newest = at
				}
			}
		}
	}
	return newest
}
