"""Builders for nodes of EC2 before they are launched."""

import base64

from nodewright.aws.cluster import Cluster
from nodewright.aws.userdata.draft import Draft
from nodewright.model.metadata import Taint

AUTHORITY = base64.b64encode(b"-----BEGIN CERTIFICATE-----").decode()


def a_cluster(name="demo", region="us-west-2", **more):
    return Cluster(
        **{
            "name": name,
            "region": region,
            "endpoint": "https://demo.eks.example",
            "authority": AUTHORITY,
            "service_range": "10.100.0.0/16",
            "dns_ip": "10.100.0.10",
            "version": "1.34",
            **more,
        }
    )


def a_draft(**more):
    return Draft(
        **{
            "cluster": a_cluster(),
            "max_pods": 58,
            "labels": {
                "karpenter.sh/nodepool": "default",
                "karpenter.sh/capacity-type": "spot",
                "team": "search",
                "kubernetes.io/arch": "amd64",
                "node-restriction.kubernetes.io/zone": "inner",
            },
            "taints": (Taint(key="dedicated", value="search", effect="NoSchedule"),),
            **more,
        }
    )


FULL_KUBELET = {
    "clusterDNS": ["10.100.0.20"],
    "podsPerCore": 4,
    "systemReserved": {"cpu": "100m", "memory": "200Mi"},
    "kubeReserved": {"cpu": "150m", "ephemeral-storage": "2Gi"},
    "evictionHard": {"memory.available": "5%", "nodefs.available": "8%"},
    "evictionSoft": {"memory.available": "10%"},
    "evictionSoftGracePeriod": {"memory.available": "1m30s"},
    "evictionMaxPodGracePeriod": 60,
    "imageGCHighThresholdPercent": 85,
    "imageGCLowThresholdPercent": 80,
    "cpuCFSQuota": True,
}
