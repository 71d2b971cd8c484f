from nodewright.model.metadata import ObjectMeta, OwnerReference
from nodewright.model.pod import Container, Pod, PodSpec, ResourceRequirements
from nodewright.trace.entry import Arrival
from nodewright.trace.recording import Recorder

START = 1_000_000


def a_pod(name, owner="ReplicaSet", **requests):
    return Pod(
        ObjectMeta(
            name=name,
            namespace="shop",
            uid=f"uid-{name}",
            labels={"app": "web", "pod-template-hash": "x"},
            owner_references=(OwnerReference(kind=owner, name="o", api_version="v1", uid="o"),),
        ),
        PodSpec(
            containers=(Container(ResourceRequirements(requests=requests)),),
            node_selector={"disk": "fast"},
        ),
    )


def test_what_ends_by_itself_lasts_as_long_as_it_ran():
    recorder = Recorder(START)
    recorder.came(a_pod("job", cpu="1"), START + 500)
    recorder.ran("uid-job", START + 2_500)

    (entry,) = recorder.ended("uid-job", START + 10_000, by_itself=True)

    assert (entry.at_ms, entry.lasts_ms, entry.until_ms) == (500, 7_500, None)


def test_what_is_taken_away_is_there_until_then_and_the_rest_stays():
    recorder = Recorder(START)
    recorder.came(a_pod("web-1", cpu="500m", memory="1Gi"), START)
    recorder.came(a_pod("web-2", cpu="500m"), START + 100)

    (gone,) = recorder.ended("uid-web-1", START + 900, by_itself=False)
    (stays,) = recorder.rest()

    assert (gone.until_ms, gone.lasts_ms) == (900, None)
    assert gone.size.resources == {"cpu": "500m", "memory": "1Gi"}
    assert gone.size.labels == {"app": "web"}
    assert gone.size.spec == {"nodeSelector": {"disk": "fast"}}
    assert stays == Arrival(100, "shop/web-2", stays.size)


def test_pods_of_daemons_are_left_out_and_pods_that_ask_for_nothing_count():
    recorder = Recorder(START)
    recorder.came(a_pod("agent", owner="DaemonSet", cpu="1"), START)
    recorder.came(a_pod("idle"), START)
    recorder.came(a_pod("odd", cpu="lots"), START)

    (idle,) = recorder.rest()

    assert idle.size.resources == {"cpu": "0"}
    assert list(recorder.skipped) == ["shop/odd"]
