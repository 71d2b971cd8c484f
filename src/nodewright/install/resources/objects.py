"""Objects of the cluster: the namespace with the record, the definitions, and what the chart holds.

An object is right if it says everything that it should; the server and others may have added to it. What was
there before an object of ours is kept in the record, so that it can be put back.
"""

from collections.abc import Iterator
from typing import Any, Final

from nodewright.crds.document import definitions
from nodewright.install.found import Found, Json
from nodewright.install.names import ACCOUNT, INSTALLER, MADE_BY, NAMESPACE, RECORD, Names
from nodewright.install.resources.chart import render_chart
from nodewright.install.resources.identity import account_notes
from nodewright.install.steps import Apply, Deed, Forget, Remember, Remove, Step, times
from nodewright.install.wish import Wish
from nodewright.kube.crds import find_gaps

NAMESPACE_PATH: Final = f"/api/v1/namespaces/{NAMESPACE}"
RECORD_PATH: Final = f"{NAMESPACE_PATH}/configmaps/{RECORD}"
DEPLOYMENT_PATH: Final = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments/{ACCOUNT}"
CRD_PATH: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_HELM: Final = "meta.helm.sh/release-name"
_OBJECT: Final = "object."
_CRD: Final = "crd."
_PLURALS: Final = {
    "NetworkPolicy": "networkpolicies",
    "EC2NodeClass": "ec2nodeclasses",
}
_WIDE: Final = frozenset(
    {
        "AWSNodeTemplate",
        "ClusterRole",
        "ClusterRoleBinding",
        "CustomResourceDefinition",
        "EC2NodeClass",
        "FlowSchema",
        "Namespace",
        "NodePool",
        "Provisioner",
    }
)


def path_of(document: Json) -> str:
    """Give the path of an object in the API."""
    version, kind, meta = document["apiVersion"], document["kind"], document["metadata"]
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    plural = _PLURALS.get(kind, f"{kind.lower()}s")
    space = "" if kind in _WIDE else f"/namespaces/{meta['namespace']}"
    return f"{root}{space}/{plural}/{meta['name']}"


def namespace_objects() -> tuple[Json, Json]:
    """Give the namespace, and the record of what was there before us."""
    labels = {MADE_BY: INSTALLER}
    space = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": NAMESPACE, "labels": labels},
    }
    meta = {"namespace": NAMESPACE, "name": RECORD, "labels": labels}
    return space, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta}


def chart_values(found: Found, wish: Wish, names: Names) -> Json:
    """Give the values of the chart for this cluster."""
    cluster = found.account.cluster
    count = sum(group.desired for group in cluster.node_groups)
    replicas = wish.replicas if wish.is_fargate or count > 1 else 1
    values: Json = {
        "replicas": replicas,
        "settings": {"clusterName": names.cluster, "interruptionQueue": names.queue},
        "controller": {"resources": {"requests": {"cpu": "250m", "memory": "512Mi"}}},
    }
    if wish.journal:
        values["settings"]["journalS3"] = wish.journal
    if notes := account_notes(found, wish, names):
        values["serviceAccount"] = {"annotations": notes}
    if not wish.is_fargate and cluster.node_groups:
        values["nodeGroups"] = [group.name for group in cluster.node_groups]
    if wish.image:
        repository, _, tag = (
            wish.image.rpartition(":") if _has_tag(wish.image) else (wish.image, "", "")
        )
        values["controller"]["image"] = {"repository": repository, **({"tag": tag} if tag else {})}
    return values


def _has_tag(image: str) -> bool:
    return ":" in image.rpartition("/")[2]


def chart_objects(found: Found, wish: Wish, names: Names) -> tuple[Json, ...]:
    """Give the objects of the chart for this cluster."""
    return render_chart(chart_values(found, wish, names))


def wanted_paths(found: Found, wish: Wish, names: Names) -> tuple[str, ...]:
    """Give the paths of everything that must be looked at before it can be planned."""
    documents = (*namespace_objects(), *definitions(), *chart_objects(found, wish, names))
    return tuple(map(path_of, documents))


def plan_namespace(found: Found) -> Step:
    """Plan the namespace and the record; both come before any change."""
    missing = [one for one in namespace_objects() if path_of(one) not in found.kube.live]
    if not missing:
        return Step("=", "namespace", NAMESPACE)
    deeds = tuple(Apply(one) for one in missing)
    return Step("+", "namespace", NAMESPACE, "with a record of what was there before", deeds)


def plan_definitions(found: Found) -> Step:
    """Plan the CustomResourceDefinitions that are missing or too old."""
    deeds: list[Deed] = []
    wanted = definitions()
    for one in wanted:
        live = found.kube.live.get(path_of(one))
        if live is None:
            deeds += [Remember(f"{_CRD}{one['metadata']['name']}", None), Apply(one)]
        elif find_gaps(one, live):
            deeds.append(Apply(one))
    count = sum(isinstance(deed, Apply) for deed in deeds)
    if not count:
        return Step("=", "crds", times(len(wanted)))
    is_new = any(isinstance(deed, Remember) for deed in deeds)
    return Step(
        "+" if is_new else "~", "crds", times(count), "karpenter.sh and our own", tuple(deeds)
    )


def plan_chart(found: Found, wish: Wish, names: Names) -> Iterator[Step]:
    """Plan what the chart holds; a release of Helm's is left to Helm."""
    live = found.kube.live.get(DEPLOYMENT_PATH) or {}
    if release := (live.get("metadata", {}).get("annotations") or {}).get(_HELM):
        yield Step("=", "chart", release, "installed by Helm, and left to it")
        return
    wanted = chart_objects(found, wish, names)
    small = [one for one in wanted if one["kind"] != "Deployment"]
    [large] = [one for one in wanted if one["kind"] == "Deployment"]
    yield _plan_some(found, small, "objects", "account, roles, budget, service")
    count = large["spec"]["replicas"]
    groups = ", ".join(group.name for group in found.account.cluster.node_groups)
    place = "on Fargate" if wish.is_fargate else f"on node group {groups}"
    shown = f"{count} replica{'s' if count > 1 else ''} {place}, never on nodes of its own"
    yield _plan_some(found, [large], "deployment", shown)


def _plan_some(found: Found, wanted: list[Json], kind: str, detail: str) -> Step:
    deeds: list[Deed] = []
    is_new = False
    for one in wanted:
        live = found.kube.live.get(path_of(one))
        if live is not None and holds(one, live):
            continue
        is_new = is_new or live is None
        kept = None if live is None else _bare(live)
        deeds += [Remember(_key(one), kept), Apply(one)]
    count = len(deeds) // 2
    title = ACCOUNT if kind == "deployment" else times(count or len(wanted))
    if not deeds:
        return Step("=", kind, title)
    return Step("+" if is_new else "~", kind, title, detail, tuple(deeds))


def _key(document: Json) -> str:
    return f"{_OBJECT}{document['kind']}.{document['metadata']['name']}"


def _bare(live: Json) -> Json:
    meta = {
        name: live["metadata"][name]
        for name in ("name", "namespace", "labels", "annotations")
        if live["metadata"].get(name)
    }
    return {**{name: live[name] for name in live if name != "status"}, "metadata": meta}


def holds(wanted: Any, live: Any) -> bool:
    """Tell whether something says all that is wanted; it may say more."""
    if isinstance(wanted, dict):
        return isinstance(live, dict) and all(
            holds(value, live.get(name)) for name, value in wanted.items()
        )
    if isinstance(wanted, list):
        if not wanted:
            return not live
        return isinstance(live, list) and len(wanted) == len(live) and all(map(holds, wanted, live))
    says_nothing = wanted is None or wanted is False or wanted == ""
    return bool(wanted == live) or (says_nothing and live is None)


def undo_objects(found: Found) -> Iterator[Step]:
    """Take the objects away that were not there before us, and put the others back."""
    deeds: list[Deed] = []
    for key, kept in sorted(found.kube.record.items()):
        if key.startswith(_OBJECT):
            was = kept["was"]
            deeds.append(Apply(was) if was else Remove(_path(key)))
            deeds.append(Forget(key))
    if deeds:
        yield Step(
            "-", "objects", times(len(deeds) // 2), "deployment, roles, budget", tuple(deeds)
        )


def _path(key: str) -> str:
    kind, _, name = key.removeprefix(_OBJECT).partition(".")
    return path_of(
        {
            "apiVersion": _VERSIONS[kind],
            "kind": kind,
            "metadata": {"namespace": NAMESPACE, "name": name},
        }
    )


_VERSIONS: Final = {
    "ClusterRole": "rbac.authorization.k8s.io/v1",
    "ClusterRoleBinding": "rbac.authorization.k8s.io/v1",
    "Deployment": "apps/v1",
    "FlowSchema": "flowcontrol.apiserver.k8s.io/v1",
    "NetworkPolicy": "networking.k8s.io/v1",
    "PodDisruptionBudget": "policy/v1",
    "Service": "v1",
    "ServiceAccount": "v1",
    "ServiceMonitor": "monitoring.coreos.com/v1",
}


def undo_definitions(found: Found) -> Iterator[Step]:
    """Take the definitions away that we brought, unless somebody's objects are of these kinds."""
    names = sorted(key.removeprefix(_CRD) for key in found.kube.record if key.startswith(_CRD))
    if not names:
        return
    others = foreign_pools(found)
    if others:
        detail = f"stay: nodepool/{others[0]} is not ours"
        yield Step("=", "crds", times(len(names)), detail)
        return
    deeds = tuple(
        deed for name in names for deed in (Remove(f"{CRD_PATH}/{name}"), Forget(f"{_CRD}{name}"))
    )
    yield Step("-", "crds", times(len(names)), "", deeds)


def foreign_pools(found: Found) -> tuple[str, ...]:
    """Name the pools that an installation did not draft."""
    return tuple(one for one in found.kube.pools if f"pool.{one}" not in found.kube.record)


def undo_namespace(found: Found) -> Iterator[Step]:
    """Take the record away, and the namespace where it is ours."""
    space = found.kube.live.get(NAMESPACE_PATH)
    if space is None:
        return
    labels = space.get("metadata", {}).get("labels") or {}
    if labels.get(MADE_BY) == INSTALLER:
        deeds = (Remove(RECORD_PATH), Remove(NAMESPACE_PATH, waits=True))
        yield Step("-", "namespace", NAMESPACE, "", deeds)
    elif RECORD_PATH in found.kube.live:
        yield Step("-", "record", RECORD, "", (Remove(RECORD_PATH),))
