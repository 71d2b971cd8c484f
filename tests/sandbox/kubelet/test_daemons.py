"""What every node needs of the cluster."""

from nodewright.model.metadata import Taint, Toleration
from nodewright.sandbox.kubelet.daemons import Daemon, judge_daemons, keep_offered, read_daemon
from nodewright.sandbox.kubelet.fault import Weight

ANY = (Toleration(operator="Exists"),)
PLUGIN = Daemon("kube-system", "aws-node", ANY)
PROXY = Daemon("kube-system", "kube-proxy", ANY)
TAINT = Taint(key="team", value="a", effect="NoSchedule")
STARTUP = Taint(key="node.kubernetes.io/not-ready", effect="NoExecute")


def test_a_plugin_that_tolerates_everything_runs_everywhere():
    assert list(judge_daemons([PLUGIN, PROXY], [TAINT, STARTUP])) == []


def test_without_the_plugin_no_node_is_ready():
    for daemons in ([], [Daemon("default", "aws-node", ANY)]):
        [fault] = judge_daemons(daemons, [])
        assert fault.weight is Weight.UNREADY
        assert "no DaemonSet kube-system/aws-node" in fault.text


def test_a_taint_keeps_system_pods_off_that_do_not_tolerate_it():
    intolerant = [Daemon("kube-system", "aws-node"), Daemon("kube-system", "kube-proxy")]

    first, second = judge_daemons(intolerant, [STARTUP, TAINT])

    assert (first.weight, second.weight) == (Weight.UNREADY, Weight.LIMITED)
    assert "aws-node does not tolerate the taint team=a:NoSchedule" in first.text


def test_devices_are_seen_once_their_plugin_runs():
    capacity = {"cpu": 1, "nvidia.com/gpu": 8, "vpc.amazonaws.com/pod-eni": 9}
    gpu = Daemon("kube-system", "nvidia-device-plugin-daemonset")
    branches = Daemon("kube-system", "aws-node", settings={"ENABLE_POD_ENI": "true"})

    assert keep_offered(capacity, [PLUGIN], brings_plugins=False) == {"cpu": 1}
    assert keep_offered(capacity, [gpu], brings_plugins=False) == {"cpu": 1, "nvidia.com/gpu": 8}
    assert keep_offered(capacity, [branches], brings_plugins=True) == capacity


def test_a_daemonset_is_read():
    told = {
        "metadata": {"namespace": "kube-system", "name": "aws-node"},
        "spec": {
            "template": {
                "spec": {
                    "tolerations": [{"operator": "Exists"}],
                    "containers": [{"env": [{"name": "A", "value": "1"}, {"name": "B"}]}],
                }
            }
        },
    }

    assert read_daemon(told) == Daemon("kube-system", "aws-node", ANY, {"A": "1", "B": ""})
