"""Pods that wait stand together by why they do, refused ones first."""

from builders import NOW_MS, a_pod, a_pool, a_type, a_world, pods
from builders.lives import ago
from nodewright.core.scheduling.solve import solve
from nodewright.view.notebook import Told, Word
from nodewright.view.pending import LISTED_MAX, list_pending

LARGE = pods(3, "large", cpu="64", created=ago(5_000))
SMALL = a_pod("small", cpu="1")


def test_a_plan_groups_pods_by_cause_with_what_each_pool_says():
    world = a_world(LARGE, SMALL, a_pool(), a_type())
    refused, placed = list_pending(world.pods, Told(), solve(world))

    assert (refused.code, refused.count, refused.is_refused) == ("NW-1204", 3, True)
    assert refused.pods[0].since_ms == NOW_MS - 5_000
    assert [one.name for one in refused.node_pools] == ["default"]
    assert (placed.title, placed.is_refused) == ("A new node would be made", False)


def test_without_a_plan_the_controllers_word_counts():
    uid = SMALL.metadata.uid
    told = Told(refused={uid: Word("no type is large enough (NW-1204)", NOW_MS, "NW-1204", "D-1")})
    (cause,) = list_pending([SMALL], told)

    assert (cause.code, cause.summary, cause.decision) == (
        "NW-1204",
        "no type is large enough",
        "D-1",
    )
    assert list_pending([SMALL], Told(expected={uid: "n"}))[0].title == "A node is on its way"


def test_a_pod_that_nobody_judged_or_that_a_gate_holds_says_so():
    gated = a_pod("gated", gates=("example.com/wait",))
    titles = {one.title for one in list_pending([SMALL, gated], Told())}

    assert titles == {"Nobody has judged it yet", "Held by a scheduling gate"}


def test_of_very_many_the_first_are_listed_and_all_are_counted():
    (cause,) = list_pending(pods(LISTED_MAX + 5), Told())

    assert (cause.count, len(cause.pods)) == (LISTED_MAX + 5, LISTED_MAX)
