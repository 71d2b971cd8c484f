"""What is said of pods that keep a node."""

import pytest

from builders import NOW_MS, a_budget, a_node, a_pod, a_selector
from builders.lives import MINUTE_MS, ago, with_status
from nodewright.core.termination_words import Budgets, failed_draining, tell_of_protection
from nodewright.model.labels import DO_NOT_DISRUPT

WEB = a_pod("web", labels={"app": "web"}, node="n")


def fault(*budgets, pod=WEB):
    return Budgets(budgets).fault_of(pod)


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ({"at_most_missing": 0}, "its maxUnavailable is 0"),
        ({"at_most_missing": "0%"}, "its maxUnavailable is 0%"),
        ({"at_least_there": "100%"}, "its minAvailable is 100%"),
    ],
)
def test_a_budget_that_never_lets_go_is_named_with_its_mistake(written, why):
    said = fault(a_budget("shut", **written))

    assert "PodDisruptionBudget default/shut never lets a pod go" in said
    assert said.endswith(why)


def test_two_budgets_on_one_pod_are_a_mistake_of_their_own():
    said = fault(a_budget("a", at_most_missing=1), a_budget("b", at_most_missing=1))

    assert "more than one PodDisruptionBudget selects it (default/a, default/b)" in said


def test_a_budget_that_may_let_go_later_is_no_mistake():
    assert fault(a_budget(at_most_missing=1)) == ""
    assert fault(a_budget(at_least_there=2)) == ""


def test_budgets_of_other_pods_and_namespaces_do_not_count():
    shut = a_budget(at_most_missing=0, selector=a_selector(app="db"))

    assert fault(shut) == ""
    assert fault(a_budget(at_most_missing=0), pod=a_pod(labels={"app": "web"}, namespace="x")) == ""


def told(written, started_ms=None):
    pod = a_pod("p", annotations={DO_NOT_DISRUPT: written})
    if started_ms is not None:
        pod = with_status(pod, start_time=ago(started_ms))
    return [(one.reason, one.is_warning) for one in tell_of_protection(pod, NOW_MS)]


def test_a_duration_is_told_while_it_lasts_and_when_it_is_over():
    assert told("10m", 5 * MINUTE_MS) == [("DoNotDisruptUntil", False)]
    assert told("10m") == [("DoNotDisruptUntil", False)]
    assert told("10m", 15 * MINUTE_MS) == [("DoNotDisruptGracePeriodElapsed", False)]


def test_a_word_that_means_nothing_is_told():
    for written in ("yes", "", "-5m", "0s"):
        assert told(written) == [("InvalidDoNotDisruptAnnotation", True)]


def test_plain_words_need_no_event():
    assert told("true") == told("false") == []


def test_each_cause_of_a_failed_drain_is_told_for_itself():
    tell = failed_draining(a_node("n"), "why", "default/p")

    assert (tell.reason, tell.dedupe, tell.is_warning) == ("FailedDraining", ("default/p",), True)
