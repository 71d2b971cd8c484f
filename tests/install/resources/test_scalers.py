import msgspec

from builders.found import a_found, steps_of
from nodewright.install.found import Kube, Scaler
from nodewright.install.look_cluster import is_system, read_scaler
from nodewright.install.plan import plan_hand_back, plan_install
from nodewright.install.resources.objects import DEPLOYMENT_PATH
from nodewright.install.resources.scalers import pin
from nodewright.install.steps import Merge, Remember
from nodewright.install.wish import Wish

OTHER = Scaler("karpenter", "kube-system", "karpenter", 2, "1.8.0")
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def a_deployment(name, image="x", affinity=None, kind="Deployment"):
    pod = {"containers": [{"image": image}], **({"affinity": affinity} if affinity else {})}
    return {
        "kind": kind,
        "metadata": {"namespace": "kube-system", "name": name},
        "spec": {"replicas": 1, "template": {"spec": pod}},
    }


def test_another_autoscaler_is_stopped_last_and_asked_about_apart():
    last = plan_install(a_found(kube=Kube(scalers=(OTHER,))), Wish("shop")).steps[-1]

    assert last.asks_again
    assert last.deeds == (
        Remember("deployment.kube-system.karpenter", 2),
        Merge(OTHER.path, {"spec": {"replicas": 0}}),
    )


def test_it_can_be_left_running_and_that_is_said():
    plan = plan_install(a_found(kube=Kube(scalers=(OTHER,))), Wish("shop", takes_over=False))

    assert "keeps running" in plan.notes[0]
    assert plan.steps[-1].title != "deployment kube-system/karpenter"


def test_it_gets_back_what_it_had_with_one_command():
    stopped = Scaler("karpenter", "kube-system", "karpenter", 0)
    record = {stopped.key: {"was": 2}}
    live = {DEPLOYMENT_PATH: {"spec": {"replicas": 2}}}
    kube = Kube(scalers=(stopped,), record=record, live=live)

    ours, theirs = plan_hand_back(a_found(kube=kube), Wish("shop")).steps
    assert ours.deeds == (Merge(DEPLOYMENT_PATH, {"spec": {"replicas": 0}}),)
    assert theirs.deeds[0] == Merge(stopped.path, {"spec": {"replicas": 2}})


def test_autoscalers_are_known_by_name_or_image():
    known = read_scaler(a_deployment("aws-cluster-autoscaler"))
    named = read_scaler(a_deployment("scaler", "registry/cluster-autoscaler:v1.34.0@sha256:1"))

    assert known.kind == "cluster-autoscaler"
    assert named.version == "v1.34.0"
    assert read_scaler(a_deployment("karpenter", "karpenter/controller:1.8.0")).kind == "karpenter"
    assert read_scaler(a_deployment("web")) is None


def test_a_pinned_pod_asks_for_the_group_in_every_alternative():
    terms = [{"matchExpressions": [{"key": "a", "operator": "Exists"}]}, {}]
    pinned = pin({"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": terms}}}, ["main"])

    wanted = {"key": "eks.amazonaws.com/nodegroup", "operator": "In", "values": ["main"]}
    found = pinned["nodeAffinity"][REQUIRED]["nodeSelectorTerms"]
    assert [term["matchExpressions"][-1] for term in found] == [wanted, wanted]
    assert terms[1] == {}


def test_pods_of_the_system_are_held_on_demand_and_let_go_again():
    kube = Kube(system=(a_deployment("coredns"),))
    step = steps_of(a_found(kube=kube), pins_system=True)["deployment kube-system/coredns"]
    assert step.deeds[0] == Remember("affinity.kube-system.coredns", None)
    assert "deployment kube-system/coredns" not in steps_of(a_found(kube=kube))

    record = {"affinity.kube-system.coredns": {"was": None}}
    pinned = (a_deployment("coredns", affinity=pin(None, ["main"])),)
    again = steps_of(a_found(kube=Kube(system=pinned)), pins_system=True)
    undone = steps_of(a_found(kube=Kube(system=pinned, record=record)), "uninstall")
    assert again["deployment kube-system/coredns"].sign == "="
    patch = undone["deployment kube-system/coredns"].deeds[0].patch
    assert patch == {"spec": {"template": {"spec": {"affinity": None}}}}


def test_a_stateful_set_of_the_system_is_held_too():
    prometheus = a_deployment("prometheus-k8s", kind="StatefulSet")
    title = "statefulset kube-system/prometheus-k8s"
    step = steps_of(a_found(kube=Kube(system=(prometheus,))), pins_system=True)[title]

    assert step.deeds[0] == Remember("affinity.set.kube-system.prometheus-k8s", None)
    assert step.deeds[1].path.endswith("/statefulsets/prometheus-k8s")


def test_what_may_move_is_named():
    notes = plan_install(a_found(kube=Kube(system=(a_deployment("coredns"),))), Wish("shop")).notes

    assert notes[-1].startswith("coredns may move to nodes that Nodewright makes and removes")


def test_the_work_of_the_system_is_known_by_name_and_label():
    named = ("coredns", "monitoring-grafana", "prometheus-server", "metrics-server")
    assert all(is_system(a_deployment(one)) for one in named)
    assert not is_system(a_deployment("web"))
    labelled = a_deployment("release-7")
    labelled["metadata"]["labels"] = {"app.kubernetes.io/name": "grafana"}
    assert is_system(labelled)


def test_a_controller_that_rests_is_woken_to_drain_its_nodes_unless_karpenter_does():
    live = {DEPLOYMENT_PATH: {"spec": {"replicas": 0}}}
    title = "deployment nodewright/nodewright"
    resting = Kube(live=live, claims=({"metadata": {"name": "c"}},))
    handed_back = msgspec.structs.replace(resting, scalers=(OTHER,))
    empty = msgspec.structs.replace(resting, claims=())

    woken = steps_of(a_found(kube=resting), "uninstall")[title]
    assert woken.deeds == (Merge(DEPLOYMENT_PATH, {"spec": {"replicas": 1}}),)
    assert title not in steps_of(a_found(kube=handed_back), "uninstall")
    assert title not in steps_of(a_found(kube=empty), "uninstall")
