"""What the OpenAPI page says of each route."""

from collections.abc import Mapping
from typing import Any, Final

from nodewright.web.answers.budgets import Budgets
from nodewright.web.answers.decisions import DecisionPage, Decisions
from nodewright.web.answers.health import Health
from nodewright.web.answers.money import Money
from nodewright.web.answers.nodes import NodePage, Nodes
from nodewright.web.answers.overview import Overview
from nodewright.web.answers.pending import Pending
from nodewright.web.answers.pools import Pools
from nodewright.web.answers.whatif import Manifests, WhatIf, WhatIfRequest
from nodewright.web.openapi import Parameter, RouteDoc
from nodewright.web.timeline import PAGE_DEFAULT, PAGE_MAX

_NAME: Final[Mapping[str, Any]] = {"type": "string", "minLength": 1, "maxLength": 400}
_INSTANT: Final[Mapping[str, Any]] = {"type": "string", "format": "date-time"}
_ONE: Final = ("400", "401", "403", "404", "503")

ROUTES: Final = (
    RouteDoc("/api/overview", "overview", "The cluster at a glance, with its last day.", Overview),
    RouteDoc(
        "/api/nodes",
        "nodes",
        "Every node and claim, as columns.",
        Nodes,
        takes=(
            Parameter(
                "since",
                "Only rows that changed since this revision.",
                schema={"type": "integer", "minimum": 0, "maximum": 1 << 53},
            ),
            Parameter("label", "A label to give a column of; up to eight.", is_repeated=True),
        ),
    ),
    RouteDoc(
        "/api/nodes/{name}",
        "node",
        "One node: its pods, and why it stays or goes.",
        NodePage,
        takes=(Parameter("name", "The name of a node or claim.", "path", _NAME),),
        failures=_ONE,
    ),
    RouteDoc("/api/pending", "pending", "Pods that wait, one entry a cause.", Pending),
    RouteDoc(
        "/api/decisions",
        "decisions",
        "Decisions, the latest first.",
        Decisions,
        takes=(
            Parameter("node", "Only about this node."),
            Parameter("pod", "Only about this pod, as NAMESPACE/NAME or NAME."),
            Parameter("pool", "Only about this NodePool."),
            Parameter("since", "Only from this instant on.", schema=_INSTANT),
            Parameter("before", "Only before this instant: the next page.", schema=_INSTANT),
            Parameter(
                "limit",
                "How many at most.",
                schema={
                    "type": "integer",
                    "minimum": 1,
                    "maximum": PAGE_MAX,
                    "default": PAGE_DEFAULT,
                },
            ),
            Parameter("kind", "Only these kinds, such as Launch,Disrupt; else all that matter."),
            Parameter("all", "Bookkeeping too.", schema={"type": "boolean", "default": False}),
        ),
        failures=_ONE,
    ),
    RouteDoc(
        "/api/decisions/{name}",
        "decision",
        "One decision: cause, alternatives, price, effects, and a picture before and after.",
        DecisionPage,
        takes=(Parameter("name", "The id of a decision, such as D-1234.", "path", _NAME),),
        failures=_ONE,
    ),
    RouteDoc("/api/pools", "pools", "NodePools: limits, budgets, and drift by field.", Pools),
    RouteDoc("/api/budgets", "budgets", "How many nodes may go, over a week.", Budgets),
    RouteDoc("/api/money", "money", "Who costs how much, what is idle, what was saved.", Money),
    RouteDoc("/api/manifests", "manifests", "Pools, classes and policies to edit.", Manifests),
    RouteDoc(
        "/api/what-if",
        "whatIf",
        "What edited manifests would do. Nothing is changed.",
        WhatIf,
        method="post",
        body=WhatIfRequest,
        failures=("400", "401", "403", "413", "415", "429", "503"),
    ),
    RouteDoc("/api/health", "health", "How the installation is.", Health),
    RouteDoc(
        "/api/events",
        "events",
        "Server-sent events: `change` and `decision`.",
        None,
        media="text/event-stream",
    ),
)
