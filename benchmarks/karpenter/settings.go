package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/operator/options"
)

// Karpenter keeps its label tables in package variables, which a cloud provider fills when the
// program starts. Each problem sets them anew from what the core package came with.
var (
	coreLabels       = v1.WellKnownLabels.Clone()
	coreDomains      = v1.RestrictedLabelDomains.Clone()
	coreAliases      = maps.Clone(v1.NormalizedLabels)
	awsReservationID = awsLabel("capacity-reservation-id")
)

// awsLabels are the label keys that the AWS provider makes well known, under karpenter.k8s.aws.
var awsLabels = strings.Fields(`
	instance-hypervisor instance-encryption-in-transit-supported instance-category
	instance-capability-flex instance-family instance-generation instance-size instance-local-nvme
	instance-cpu instance-cpu-manufacturer instance-cpu-sustained-clock-speed-mhz instance-memory
	instance-ebs-bandwidth instance-network-bandwidth instance-gpu-name instance-gpu-manufacturer
	instance-gpu-count instance-gpu-memory instance-accelerator-name
	instance-accelerator-manufacturer instance-accelerator-count instance-tenancy nitro-sandbox
	capacity-reservation-id capacity-reservation-type capacity-reservation-interruptible
	placement-group-id placement-group-partition`)

func awsLabel(name string) string { return ec2NodeClass.Group + "/" + name }

func setLabels(opts snapshotOptions) {
	v1.WellKnownLabels = coreLabels.Clone().Insert("topology.k8s.aws/zone-id")
	for _, name := range awsLabels {
		v1.WellKnownLabels.Insert(awsLabel(name))
	}
	v1.WellKnownLabels.Insert(opts.WellKnownLabels...)
	v1.RestrictedLabelDomains = coreDomains.Clone().Insert(ec2NodeClass.Group)
	v1.NormalizedLabels = maps.Clone(coreAliases)
	v1.NormalizedLabels["topology.ebs.csi.aws.com/zone"] = corev1.LabelTopologyZone
	cloudprovider.ReservationIDLabel = awsReservationID
	if opts.ReservationIDLabel != "" {
		cloudprovider.ReservationIDLabel = opts.ReservationIDLabel
		v1.WellKnownLabels.Insert(opts.ReservationIDLabel)
	}
}

// gateDefaults are the gates that Nodewright has on where the snapshot does not say.
var gateDefaults = map[string]bool{"NodeOverlay": true, "StaticCapacity": true}

func karpenterOptions(opts snapshotOptions) (*options.Options, error) {
	settings := &options.Options{
		PreferencePolicy:  options.PreferencePolicyRespect,
		MinValuesPolicy:   options.MinValuesPolicyStrict,
		IgnoreDRARequests: true,
		BatchMaxDuration:  10 * time.Second,
		BatchIdleDuration: time.Second,
	}
	if opts.PreferencePolicy != "" {
		settings.PreferencePolicy = options.PreferencePolicy(opts.PreferencePolicy)
	}
	if opts.MinValuesPolicy != "" {
		settings.MinValuesPolicy = options.MinValuesPolicy(opts.MinValuesPolicy)
	}
	for option, accepted := range map[string]bool{
		"preferencePolicy": slices.Contains([]options.PreferencePolicy{
			options.PreferencePolicyRespect, options.PreferencePolicyIgnore}, settings.PreferencePolicy),
		"minValuesPolicy": slices.Contains([]options.MinValuesPolicy{
			options.MinValuesPolicyStrict, options.MinValuesPolicyBestEffort}, settings.MinValuesPolicy),
		"reservedOfferingMode": slices.Contains([]string{"", "Strict", "Fallback"}, opts.ReservedOfferingMode),
		"pendingRule":          slices.Contains([]string{"", "live", "byHand"}, opts.PendingRule),
	} {
		if !accepted {
			return nil, fmt.Errorf("options.%s has a value that Karpenter does not know", option)
		}
	}
	gates := maps.Clone(gateDefaults)
	maps.Copy(gates, opts.FeatureGates)
	var set []string
	for name, on := range gates {
		set = append(set, fmt.Sprintf("%s=%t", name, on))
	}
	var err error
	settings.FeatureGates, err = options.ParseFeatureGates(strings.Join(set, ","))
	return settings, err
}
