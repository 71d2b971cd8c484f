"""A cluster that is broken and mended, one fault at a time, and looked at by doctor as a person would.

One sandbox serves every fault: each is made, found alone, mended where one answer is right, and undone.
"""

import asyncio
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from unittest import mock

import httpx2
import msgspec

from nodewright.app.doctoring import Doctor
from nodewright.app.installing import Place
from nodewright.doctor.mending import plan_mending
from nodewright.doctor.registry import choose
from nodewright.doctor.run import run

CLAIM = "default-first"
PATIENT_S = 300.0
POOL_GENERATION = {
    "key": "karpenter.k8s.aws/instance-generation",
    "operator": "Gt",
    "values": ["4"],
}


class Patient:
    """The cluster and its account, with short ways to hurt and to heal."""

    def __init__(self, account):
        self.account = account
        self.kubectl = account.kubectl
        self.get = account.get
        self.create = account.create
        self.wait_for = account.wait_for
        self.client = account.client
        self.name = account.name
        self.call_count = 0

    def make_healthy(self):
        """Do what the guides leave to the owner: bound the generation of types."""
        pool = self.get("nodepool", "default")
        requirements = pool["spec"]["template"]["spec"]["requirements"]
        self.patch("nodepool", "default", self.pool(requirements=[*requirements, POOL_GENERATION]))
        self.wait_for("the controller's pods", lambda: self._is_ready("karpenter"))
        self.wait_for("the DNS pods", lambda: self._is_ready("coredns"))

    def _is_ready(self, name):
        status = self.get("deployment", name, "-n", "kube-system").get("status", {})
        return status.get("readyReplicas", 0) == status.get("replicas", 0) > 0

    def examine(self, *words, later_min=0, environment=()):
        """Look at the cluster, perhaps as if some time had passed."""
        told = {**self.account.environment, **dict(environment)}
        with mock.patch.dict(os.environ, told):
            return asyncio.run(self._examine(words, later_min, told))

    async def _examine(self, words, later_min, told):
        async with Doctor(Place(), told, self.name).open() as site:
            look = site.look()
            later = look.subject.now_ms + later_min * 60_000
            look.subject = msgspec.structs.replace(look.subject, now_ms=later)
            # How long things take here says nothing: the limits have tests of their own.
            look.patience_s = PATIENT_S
            report = await run(choose(words), look, PATIENT_S)
            self.call_count = look.call_count
            return report

    def examine_in_time(self):
        """Look at the cluster with the limits that the command has."""
        with mock.patch.dict(os.environ, self.account.environment):
            return Doctor(Place(), self.account.environment).examine(choose(())).report

    def mend(self, report):
        """Carry out what the report proposes."""
        plan = plan_mending(report, "", "")
        with mock.patch.dict(os.environ, self.account.environment):
            return Doctor(Place(), self.account.environment, self.name).mend(plan, _quiet)

    def strike(self, call, **fault):
        """Have calls of AWS go wrong."""
        self._tell("fault", {"name": call, **fault})

    def calm(self):
        """Let every call go right again."""
        self._tell("clear-faults", {})

    def _tell(self, what, asked):
        url = f"{self.account.sandbox.record.aws_url}/_standin/{what}"
        httpx2.post(url, json=asked, timeout=30).raise_for_status()

    def patch(self, kind, name, patch, *flags):
        """Change an object by a merge patch."""
        self.kubectl("patch", kind, name, *flags, "--type=merge", "-p", json.dumps(patch))

    def pool(self, **fields):
        """Give the patch of a pool that sets fields of its nodes."""
        return {"spec": {"template": {"spec": fields}}}

    def delete(self, kind, name, *flags):
        """Take an object away; one that is gone is fine."""
        self.kubectl("delete", kind, name, *flags, "--ignore-not-found", "--wait=false")

    def pool_node(self):
        """Name the node that the pool has made."""
        return self.get("nodeclaim", CLAIM)["status"]["nodeName"]

    def pend(self, name, **spec):
        """Have a pod that waits, and wait until the scheduler says so."""
        requests = spec.pop("requests", {"cpu": "100m"})
        resources = {"requests": requests, "limits": spec.pop("limits", {})}
        self.create(
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"name": name, "namespace": "default", **spec.pop("metadata", {})},
                "spec": {
                    "containers": [{"name": "app", "image": "app", "resources": resources}],
                    **spec,
                },
            }
        )
        self.wait_for(f"pod {name} is unschedulable", lambda: self._is_unschedulable(name))

    def _is_unschedulable(self, name):
        told = self.get("pod", name).get("status", {}).get("conditions", [])
        return any(one.get("reason") == "Unschedulable" for one in told)

    def add_claim(self, name, conditions, capacity=None, node=None):
        """Have a claim that came so far and no farther, with a node where one is described."""
        group = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}
        labels = {"karpenter.sh/nodepool": "default"}
        self.create(
            {
                "apiVersion": "karpenter.sh/v1",
                "kind": "NodeClaim",
                "metadata": {"name": name, "labels": labels},
                "spec": {"nodeClassRef": group, "requirements": []},
            }
        )
        status = {
            "conditions": [a_condition(kind) for kind in conditions],
            "capacity": capacity or {},
            "nodeName": name if node is not None else "",
        }
        self.patch("nodeclaim", name, {"status": status}, "--subresource=status")
        if node is not None:
            metadata = {"name": name, "labels": labels}
            self.create({"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": node})

    def drop_claim(self, name):
        """Take such a claim and its node away."""
        self.delete("nodeclaim", name)
        self.delete("node", name)


def a_condition(kind, status="True", since="2026-01-01T00:00:00Z", message=""):
    """Give a condition of an object."""
    return {
        "type": kind,
        "status": status,
        "reason": kind,
        "message": message,
        "lastTransitionTime": since,
    }


@dataclass(frozen=True)
class Fault:
    """One way to break a cluster: the code that it has, and the ways there and back."""

    code: str
    hurt: Callable[[Patient], object]
    heal: Callable[[Patient], object]
    is_fixable: bool = False
    later_min: int = 0
    name: str = ""

    @property
    def title(self):
        """The name of its test."""
        return f"{self.code}-{self.name}" if self.name else self.code


def _quiet(_step, _what):
    """Say nothing."""
