"""A small workload and its ground, for tests of forecasts."""

from nodewright.forecast.setup import CloudModel, Setup, default_objects
from nodewright.trace.entry import Arrival, Scaling, Size, Trace

QUIET = CloudModel(interruptions_per_hour=0.0, sold_out_share=0.0, spot_moves=False)
MINUTE_MS = 60_000


def a_setup(**more):
    objects = [dict(one) for one in default_objects() if one["metadata"]["name"] != "gpu"]
    return Setup(tuple(objects), cloud=more.pop("cloud", QUIET), **more)


def a_trace(length_ms=30 * MINUTE_MS):
    size = Size({"cpu": "1", "memory": "2Gi"})
    entries = [
        Scaling(0, "kube-system/agent", 0, Size({"cpu": "100m"}), "DaemonSet"),
        Scaling(0, "shop/web", 4, size),
        Arrival(5 * MINUTE_MS, "ci/build", size, lasts_ms=4 * MINUTE_MS, count=6),
        Arrival(6 * MINUTE_MS, "ci/stays", size, until_ms=15 * MINUTE_MS),
        Scaling(20 * MINUTE_MS, "shop/web", 2),
    ]
    return Trace("small", iter(entries), length_ms)
