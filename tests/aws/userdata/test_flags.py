"""The kubelet's command line, in its order."""

from builders.awsdrafts import FULL_KUBELET, a_draft
from nodewright.aws.userdata.flags import kubelet_flags


def test_flags_come_in_their_order():
    flags = kubelet_flags(a_draft(kubelet=FULL_KUBELET, labels={"b": "2", "a": "1"}))

    assert flags == (
        '--node-labels="a=1,b=2,karpenter.sh/do-not-sync-taints=true"'
        ' --register-with-taints="dedicated=search:NoSchedule,karpenter.sh/unregistered=:NoExecute"'
        " --max-pods=58"
        " --pods-per-core=4"
        ' --system-reserved="cpu=100m,memory=200Mi"'
        ' --kube-reserved="cpu=150m,ephemeral-storage=2Gi"'
        ' --eviction-hard="memory.available<5%,nodefs.available<8%"'
        ' --eviction-soft="memory.available<10%"'
        ' --eviction-soft-grace-period="memory.available=1m30s"'
        " --eviction-max-pod-grace-period=60"
        " --image-gc-high-threshold=85"
        " --image-gc-low-threshold=80"
        " --cpu-cfs-quota=true"
    )


def test_what_is_not_asked_for_is_not_said():
    assert kubelet_flags(a_draft()).count("--") == 3
