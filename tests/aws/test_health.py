"""How machines do by EC2's own checks."""

import datetime as dt

from nodewright.aws.health import Health, read_health

AT = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


def a_status(instance="ok", system="ok", events=()):
    def check(status):
        details = [{"ImpairedSince": AT}] if status == "impaired" else [{}]
        return {"Status": status, "Details": details}

    return {
        "InstanceId": "i-1",
        "AvailabilityZone": "us-west-2a",
        "InstanceStatus": check(instance),
        "SystemStatus": check(system),
        "Events": [{"Code": code, "Description": words} for code, words in events],
        "AttachedEbsStatus": {"Status": "impaired"},
    }


def test_a_machine_that_is_well_has_nothing_to_tell():
    assert read_health(a_status()) == Health("i-1", "us-west-2a")


def test_either_check_tells_since_when():
    since = int(AT.timestamp() * 1000)

    assert read_health(a_status(instance="impaired")).impaired_since_ms == since
    assert read_health(a_status(system="impaired")).impaired_since_ms == since


def test_a_planned_event_counts_until_it_is_done():
    assert read_health(a_status(events=[("instance-stop", "soon")])).planned_event == (
        "instance-stop"
    )
    assert read_health(a_status(events=[("instance-stop", "[Completed] x")])).planned_event == ""
    assert read_health(a_status(events=[("something-else", "")])).planned_event == ""
