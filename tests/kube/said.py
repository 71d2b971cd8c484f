"""Short ways to say what an API server says."""

import msgspec


def a_pod(name, version, **spec):
    return {
        "metadata": {
            "name": name, "namespace": "default", "uid": f"uid-{name}",
            "resourceVersion": str(version),
        },
        "spec": {"containers": [], **spec},
    }  # fmt: skip


def a_page(*items, version=10, token=""):
    meta = {"resourceVersion": str(version)}
    return {"metadata": meta | ({"continue": token} if token else {}), "items": list(items)}


def a_line(kind, thing):
    return msgspec.json.encode({"type": kind, "object": thing}) + b"\n"


def a_bookmark(version, **annotations):
    meta = {"resourceVersion": str(version), "annotations": annotations}
    return a_line("BOOKMARK", {"kind": "Pod", "metadata": meta})


def a_status(code, reason="", message="", causes=(), retry_after_s=None):
    details = {"causes": list(causes)}
    if retry_after_s is not None:
        details["retryAfterSeconds"] = retry_after_s
    return {
        "kind": "Status", "code": code, "reason": reason, "message": message, "details": details,
    }  # fmt: skip
