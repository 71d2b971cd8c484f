"""Somebody who may see everything of a cluster and change nothing, until they are allowed to."""

import json
from pathlib import Path

from e2e.controller_rig import write_kubeconfig
from nodewright.kube.access import Access, Source, User

NAME = "installer"
SEEING = {"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list"]}
RBAC = "rbac.authorization.k8s.io"


class Person:
    """A service account with a role of its own, to which rules are added."""

    def __init__(self, cluster):
        self._cluster = cluster
        self._rules = [SEEING]
        who = {"kind": "ServiceAccount", "name": NAME, "namespace": "default"}
        binding = {
            "apiVersion": f"{RBAC}/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": NAME},
            "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": NAME},
            "subjects": [who],
        }
        cluster.kubectl("create", "serviceaccount", NAME, "-n", "default")
        cluster.create(self._role(), binding)
        token = cluster.kubectl("create", "token", NAME, "-n", "default").strip()
        authority = Source(path=str(cluster.sandbox.folder.certificates / "authority.crt"))
        access = Access(cluster.server, User(token=Source(data=token.encode())), authority)
        written = Path(write_kubeconfig(cluster, access))
        self.kubeconfig = str(written.rename(written.with_name("installer.kubeconfig.yaml")))

    def allow(self, said):
        """Add the rules that a refusal asks for, and give them."""
        told = said.partition("bound to you: ")[2]
        rules = json.JSONDecoder().raw_decode(told)[0]
        self._rules += rules
        self._cluster.kubectl("replace", "-f", "-", stdin=json.dumps(self._role()).encode())
        return rules

    def _role(self):
        meta = {"name": NAME}
        return {
            "apiVersion": f"{RBAC}/v1", "kind": "ClusterRole", "metadata": meta,
            "rules": self._rules,
        }  # fmt: skip
