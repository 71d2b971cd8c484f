"""Settings of the controller."""

import pytest

from nodewright.app.settings import GATES, Written, read_settings
from nodewright.model.errors import UserError


def test_the_defaults_are_karpenters():
    order = read_settings(Written())

    assert (order.controllers.batch_idle_ms, order.controllers.batch_most_ms) == (1_000, 10_000)
    assert order.controllers.options.feature_gates == GATES
    assert order.controllers.options.pending_rule == "live"


@pytest.mark.parametrize(
    ("written", "word"),
    [
        (Written(feature_gates="NodeRepair"), "NodeRepair=true"),
        (Written(feature_gates="NodeRepair=yes"), "NodeRepair=true"),
        (Written(log_level="loud"), "--log-level"),
        (Written(preference_policy="Maybe"), "--preference-policy"),
        (Written(min_values_policy="Lax"), "--min-values-policy"),
        (Written(cloud="azure"), "--cloud"),
        (Written(batch_idle_duration="soon"), "--batch-idle-duration"),
        (Written(batch_max_duration="0s"), "--batch-max-duration"),
        (Written(batch_max_duration="1s", batch_idle_duration="2s"), "shorter"),
        (Written(kube_client_qps=0), "--kube-client-qps"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(written, word):
    with pytest.raises(UserError, match=word):
        read_settings(written)


def test_a_dashboard_for_others_is_not_opened_by_a_token_that_can_be_guessed():
    short = Written(cloud="kwok", dashboard_port=8083, dashboard_auth="token", dashboard_token="x")
    with pytest.raises(UserError, match="at least 16 letters"):
        read_settings(short)
    with pytest.raises(UserError, match="--dashboard-auth"):
        read_settings(Written(cloud="kwok", dashboard_auth="none"))
