import json

import pytest

from nodewright.model.errors import UserError
from nodewright.trace.audit import read_audit

POD = {
    "metadata": {"name": "web-1", "namespace": "shop", "uid": "u1", "labels": {"app": "web"}},
    "spec": {"containers": [{"resources": {"requests": {"cpu": "500m", "memory": "1Gi"}}}]},
}


def event(second, verb, name="web-1", subresource="", code=201, **more):
    return json.dumps(
        {
            "kind": "Event",
            "stage": "ResponseComplete",
            "verb": verb,
            "objectRef": {
                "resource": "pods",
                "namespace": "shop",
                "name": name,
                "subresource": subresource,
            },
            "responseStatus": {"code": code},
            "requestReceivedTimestamp": f"2026-01-01T00:00:{second:02}.000000Z",
            **more,
        }
    ).encode()


def test_a_pod_is_followed_from_its_creation_to_its_end():
    done = {"metadata": POD["metadata"], "status": {"phase": "Succeeded"}}
    lines = [
        event(5, "list", code=200),
        event(10, "create", name="", responseObject=POD),
        event(12, "create", subresource="binding"),
        event(30, "patch", subresource="status", responseObject=done),
    ]

    (entry,) = read_audit(lines, "audit.log").entries

    assert (entry.at_ms, entry.lasts_ms, entry.name) == (5_000, 18_000, "shop/web-1")
    assert entry.size.resources == {"cpu": "500m", "memory": "1Gi"}


def test_deleted_pods_are_there_until_then_and_refused_requests_do_not_count():
    lines = [
        event(0, "create", requestObject=POD),
        event(1, "delete", code=403),
        event(2, "create", name="web-2", code=409, requestObject=POD),
        event(20, "delete", code=200),
    ]

    (entry,) = read_audit(lines, "audit.log").entries

    assert entry.until_ms == 20_000


def test_a_log_without_sizes_says_what_the_policy_lacks():
    with pytest.raises(UserError) as told:
        list(read_audit([event(0, "create")], "audit.log").entries)

    assert "level Request" in told.value.advice


def test_a_line_that_is_no_event_is_named():
    with pytest.raises(UserError) as told:
        list(read_audit([event(0, "list"), b"hello"], "audit.log").entries)

    assert told.value.where == "audit.log:2"
