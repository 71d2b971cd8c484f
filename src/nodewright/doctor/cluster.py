"""What many checks ask of a cluster: its paths, and who runs as its autoscaler. Read once for all of them."""

from typing import Any, Final

import msgspec

from nodewright.doctor.look import Look
from nodewright.install.found import Json
from nodewright.model.instant import parse_instant

NODES: Final = "/api/v1/nodes"
PODS: Final = "/api/v1/pods"
SERVICES: Final = "/api/v1/services"
VOLUMES: Final = "/api/v1/persistentvolumes"
VOLUME_CLAIMS: Final = "/api/v1/persistentvolumeclaims"
ACCOUNTS: Final = "/api/v1/serviceaccounts"
DEPLOYMENTS: Final = "/apis/apps/v1/deployments"
DAEMON_SETS: Final = "/apis/apps/v1/daemonsets"
BUDGETS: Final = "/apis/policy/v1/poddisruptionbudgets"
STORAGE_CLASSES: Final = "/apis/storage.k8s.io/v1/storageclasses"
DEFINITIONS: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
POOLS: Final = "/apis/karpenter.sh/v1/nodepools"
CLAIMS: Final = "/apis/karpenter.sh/v1/nodeclaims"
CLASSES: Final = "/apis/karpenter.k8s.aws/v1/ec2nodeclasses"
PROVISIONERS: Final = "/apis/karpenter.sh/v1alpha5/provisioners"
TEMPLATES: Final = "/apis/karpenter.k8s.aws/v1alpha1/awsnodetemplates"
SETTINGS: Final = "/api/v1/configmaps?labelSelector=app.kubernetes.io/name%3Dkarpenter"
AWS_AUTH: Final = "/api/v1/namespaces/kube-system/configmaps/aws-auth"
BALANCERS: Final = "aws-load-balancer-controller"
ENDED: Final = ("Succeeded", "Failed")
_OURS: Final = ("nodewright", "karpenter")
_IMAGES: Final = ("karpenter/controller", "/nodewright", "nodewright:")
_SETTINGS: Final = "karpenter-global-settings"


class Controller(msgspec.Struct, frozen=True):
    """The Deployment of an autoscaler, ours or Karpenter's."""

    kind: str
    namespace: str
    name: str
    image: str
    replicas: int
    account: str
    settings: dict[str, str]
    document: Json

    @property
    def path(self) -> str:
        """Where the API has it."""
        return f"/apis/apps/v1/namespaces/{self.namespace}/deployments/{self.name}"

    @property
    def title(self) -> str:
        """How findings name it."""
        return f"Deployment/{self.namespace}/{self.name}"

    @property
    def pod_spec(self) -> Json:
        """The spec of its pods."""
        spec: Json = self.document["spec"]["template"]["spec"]
        return spec

    @property
    def version(self) -> str:
        """The tag of its image."""
        bare = self.image.partition("@")[0]
        return bare.rpartition(":")[2] if ":" in bare.rpartition("/")[2] else ""


async def find_controller(look: Look) -> Controller | None:
    """Give the autoscaler that runs; where several stand there, the one that has pods, ours first."""
    return await look.shared("controller", _find_controller)


async def _find_controller(look: Look) -> Controller | None:
    found = [
        one for each in await look.all(DEPLOYMENTS) if (one := read_controller(each)) is not None
    ]
    if not found:
        return None
    chosen = min(found, key=lambda one: (one.replicas == 0, _OURS.index(one.kind), one.name))
    if chosen.settings.get("CLUSTER_NAME"):
        return chosen
    # Before v0.33 the settings stood in a ConfigMap beside the Deployment.
    path = f"/api/v1/namespaces/{chosen.namespace}/configmaps/{_SETTINGS}"
    data: dict[str, str] = ((await look.get(path)) or {}).get("data") or {}
    older = {_older(key): str(value) for key, value in data.items() if key.startswith("aws.")}
    return msgspec.structs.replace(chosen, settings={**older, **chosen.settings})


def _older(key: str) -> str:
    words = {
        "aws.clusterName": "CLUSTER_NAME",
        "aws.interruptionQueueName": "INTERRUPTION_QUEUE",
        "aws.defaultInstanceProfile": "DEFAULT_INSTANCE_PROFILE",
    }
    return words.get(key, key)


def read_controller(deployment: Json) -> Controller | None:
    """Recognise an autoscaler by its label, else by its image."""
    meta, spec = deployment["metadata"], deployment["spec"]["template"]["spec"]
    containers = spec.get("containers") or []
    name = str((meta.get("labels") or {}).get("app.kubernetes.io/name", ""))
    image = next(
        (
            str(one.get("image", ""))
            for one in containers
            if any(word in str(one.get("image", "")) for word in _IMAGES)
        ),
        "",
    )
    if name not in _OURS and not image:
        return None
    kind = name if name in _OURS else ("nodewright" if "nodewright" in image else "karpenter")
    return Controller(
        kind=kind,
        namespace=str(meta["namespace"]),
        name=str(meta["name"]),
        image=image or str((containers or [{}])[0].get("image", "")),
        replicas=int(deployment["spec"].get("replicas", 1)),
        account=str(spec.get("serviceAccountName", "default")),
        settings={
            str(one["name"]): str(one["value"])
            for each in containers
            for one in each.get("env") or ()
            if "value" in one
        },
        document=deployment,
    )


async def describe_cluster(look: Look) -> Json:
    """Give the cluster as EKS describes it; nothing where EKS has none of that name."""
    told = await look.aws("eks.DescribeCluster", name=look.subject.cluster)
    found: Json = (told or {}).get("cluster") or {}
    return found


def variables_of(workload: Json) -> dict[str, str]:
    """Give the environment variables of a workload's containers."""
    containers: list[Json] = workload["spec"]["template"]["spec"].get("containers") or []
    return {
        str(one["name"]): str(one.get("value", ""))
        for each in containers
        for one in each.get("env") or ()
    }


async def find_daemon(look: Look, name: str) -> Json | None:
    """Give a daemon set of the system by its name."""
    return await look.get(f"/apis/apps/v1/namespaces/kube-system/daemonsets/{name}")


def asks_for(pod: Json, resource: str) -> bool:
    """Tell whether a pod requests some of a resource."""
    return any(
        resource in ((one.get("resources") or {}).get(field) or {})
        for one in pod["spec"].get("containers") or ()
        for field in ("requests", "limits")
    )


def name_of(document: Json) -> str:
    """Give the name of an object, with its namespace where it has one."""
    meta = document["metadata"]
    space = meta.get("namespace")
    return f"{space}/{meta['name']}" if space else str(meta["name"])


def labels_of(document: Json) -> dict[str, str]:
    """Give the labels of an object."""
    found: dict[str, str] = document["metadata"].get("labels") or {}
    return found


def notes_of(document: Json) -> dict[str, str]:
    """Give the annotations of an object."""
    found: dict[str, str] = document["metadata"].get("annotations") or {}
    return found


def condition(document: Json, kind: str) -> Json:
    """Give a condition of an object; nothing where it has none."""
    conditions: list[Json] = (document.get("status") or {}).get("conditions") or []
    return next((one for one in conditions if one.get("type") == kind), {})


def is_true(document: Json, kind: str) -> bool:
    """Tell whether a condition of an object holds."""
    return condition(document, kind).get("status") == "True"


def age_ms(document: Json, now_ms: int) -> int:
    """Tell how long an object has been there."""
    return now_ms - instant(document["metadata"].get("creationTimestamp"), now_ms)


def instant(written: Any, otherwise: int) -> int:
    """Read an instant, or take another where there is none."""
    return parse_instant(str(written)) if written else otherwise
