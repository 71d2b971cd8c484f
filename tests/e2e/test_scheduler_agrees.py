"""The real scheduler has the last word: planned pods are bound to planned nodes, in one round."""

import pytest

from e2e.agreement import Real, Stage, Way, find_problems

pytestmark = pytest.mark.e2e
# Without nominations the scheduler's spreading breaks tight packing: that is what they are for. While
# nodes open one by one, a pod whose own is still shut may go where there is room and break the plan of
# others; the next pass plans for those again.
AGREED = {Way.PROMISED: 0.995, Way.ONE_BY_ONE: 0.96, Way.UNPROMISED: 0.9}
BATCH = 20


async def play(cluster, problems, way):
    """Play all problems in batches; give the share of pods that were bound, and who was not."""
    stage = Stage(cluster)
    total, left = 0, []
    try:
        for start in range(0, len(problems), BATCH):
            count, unbound = await stage.play(problems[start : start + BATCH], way)
            total += count
            left += unbound
    finally:
        await stage.close()
    return total, left


@pytest.mark.parametrize(
    ("count", "way"),
    [
        pytest.param(20, Way.PROMISED, id="20-promised"),
        *(pytest.param(200, way, id=f"200-{way}", marks=pytest.mark.soak) for way in Way),
    ],
)
async def test_planned_pods_are_bound_without_a_second_round(cluster, count, way):
    problems = [Real(seed, document) for seed, document in find_problems(count)]

    total, left = await play(cluster, problems, way)

    bound = (total - len(left)) / total
    print(f"{total - len(left)} of {total} pods bound ({bound:.2%}): {way}")  # noqa: T201
    assert bound >= AGREED[way], left
