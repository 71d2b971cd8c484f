"""Manifests of Karpenter's first years, written as guides of that time wrote them."""

TEMPLATE = """\
apiVersion: karpenter.k8s.aws/v1alpha1
kind: AWSNodeTemplate
metadata:
  name: lecture
spec:
  subnetSelector:
    karpenter.sh/discovery: {cluster}
  securityGroupSelector:
    karpenter.sh/discovery: {cluster}
  instanceProfile: {profile}
  amiFamily: AL2
  detailedMonitoring: true
  blockDeviceMappings:
    - deviceName: /dev/xvda
      ebs:
        volumeSize: 35Gi
        volumeType: gp3
        iops: 3100
        throughput: 130
        encrypted: true
        kmsKeyID: {key}
        deleteOnTermination: true
  tags:
    Name: {cluster}/lecture
    auto-delete: "no"
"""

# One requirement has a second, empty list of requirements in it: a slip that guides carried along.
PROVISIONER = """\
apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata:
  name: lecture
spec:
  providerRef:
    name: lecture
  labels:
    scene: lecture
  taints:
    - {{key: scene, value: lecture, effect: NoSchedule}}
  requirements:
    - {{key: karpenter.k8s.aws/instance-category, operator: In, values: [c, m, r, t]}}
    - {{key: karpenter.k8s.aws/instance-generation, operator: Gt, values: ["3"]}}
    - key: karpenter.k8s.aws/instance-hypervisor
      operator: In
      values: [nitro]
      requirements:
    - {{key: kubernetes.io/os, operator: In, values: [linux]}}
    - {{key: kubernetes.io/arch, operator: In, values: [arm64, amd64]}}
    - {{key: karpenter.sh/capacity-type, operator: In, values: [spot, on-demand]}}
    - {{key: topology.kubernetes.io/zone, operator: In, values: [{region}a, {region}c]}}
  limits:
    resources:
      cpu: "100"
      memory: 400Gi
  ttlSecondsUntilExpired: 2592000
  ttlSecondsAfterEmpty: 60
  kubeletConfiguration:
    containerRuntime: containerd
    evictionMaxPodGracePeriod: 60
"""

# Categories stand where names of types belong, and one zone may have no subnet.
HAND_MADE = """\
apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata:
  name: hand-made
spec:
  providerRef:
    name: hand-made
  labels:
    scene: hand-made
  taints:
    - {{key: scene, value: hand-made, effect: NoSchedule}}
  requirements:
    - {{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}}
    - {{key: node.kubernetes.io/instance-type, operator: In, values: [c, t, m]}}
    - key: topology.kubernetes.io/zone
      operator: In
      values: [{region}a, {region}b, {region}c]
  limits:
    resources:
      cpu: 1000
  consolidation:
    enabled: true
---
apiVersion: karpenter.k8s.aws/v1alpha1
kind: AWSNodeTemplate
metadata:
  name: hand-made
spec:
  subnetSelector:
    karpenter.sh/discovery: {cluster}
  securityGroupSelector:
    karpenter.sh/discovery: {cluster}
"""
