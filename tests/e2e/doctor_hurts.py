"""Ways to hurt a pool, a class and a workload, and to put them back."""

import json


def require(*added):
    """Make a fault of requirements that a pool has beside its own."""

    def hurt(patient):
        pool = patient.get("nodepool", "default")
        patient.kept = pool["spec"]["template"]["spec"]["requirements"]
        patient.patch("nodepool", "default", patient.pool(requirements=[*patient.kept, *added]))

    return hurt


def want_only(*wanted):
    """Make a fault of a pool that allows nothing else."""

    def hurt(patient):
        pool = patient.get("nodepool", "default")
        patient.kept = pool["spec"]["template"]["spec"]["requirements"]
        told = [an_item("karpenter.sh/capacity-type", "on-demand"), *wanted]
        patient.patch("nodepool", "default", patient.pool(requirements=told))

    return hurt


def restore_requirements(patient):
    patient.patch("nodepool", "default", patient.pool(requirements=patient.kept))


def only(key):
    """Make a fault of a pool that has lost one of its requirements."""

    def hurt(patient):
        pool = patient.get("nodepool", "default")
        patient.kept = pool["spec"]["template"]["spec"]["requirements"]
        left = [one for one in patient.kept if one["key"] != key]
        patient.patch("nodepool", "default", patient.pool(requirements=left))

    return hurt


def an_item(key, *values, operator="In"):
    return {"key": key, "operator": operator, "values": list(values)}


def set_class(**spec):
    return lambda patient: patient.patch("ec2nodeclass", "default", {"spec": spec})


def a_daemon(name, *, tolerations=(), affinity=None, requests=None, env=()):
    """Give a daemon set of the system."""
    labels = {"app": name}
    container = {
        "name": name,
        "image": name,
        "env": [{"name": key, "value": value} for key, value in env],
        "resources": {"requests": requests or {"cpu": "1m"}},
    }
    spec = {"containers": [container], "tolerations": list(tolerations), "affinity": affinity or {}}
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"namespace": "kube-system", "name": name},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": spec},
        },
    }


def affinity_of(*terms):
    written = [{"matchExpressions": list(term)} for term in terms]
    required = {"nodeSelectorTerms": written}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}


def drop_pods(*names):
    def heal(patient):
        for name in names:
            patient.kubectl(
                "delete", "pod", name, "--ignore-not-found", "--force", "--grace-period=0"
            )

    return heal


def both(*steps):
    """Do several things in order."""

    def act(patient):
        for step in steps:
            step(patient)

    return act


def keep(kind, name, *flags):
    """Remember an object, to put it back as it was."""
    return lambda patient: setattr(patient, f"kept_{kind}", patient.get(kind, name, *flags))


def put_back(kind, name, *flags):
    """Put the remembered spec of an object back."""

    def heal(patient):
        kept = getattr(patient, f"kept_{kind}")
        now = patient.get(kind, name, *flags)
        now["spec"] = kept["spec"]
        patient.kubectl("replace", "-f", "-", stdin=json.dumps(now).encode())

    return heal


def set_plugin(value):
    def act(patient):
        env = f"ENABLE_POD_ENI={value}"
        patient.kubectl("set", "env", "-n", "kube-system", "daemonset/aws-node", env)

    return act
