"""Ways to hurt Windows nodes: their addresses, their images, and their kube-proxy; and to heal them."""

import copy

from nodewright.sandbox.accounts.manifests import aws_auth
from nodewright.sandbox.accounts.roles import NODE_POLICIES, TRUST_EC2, make_role

ROLE = "WindowsNodes"
NODE = "windows-1"


def add_class(patient, role=ROLE):
    """Have a class that makes Windows nodes."""
    spec = copy.deepcopy(patient.get("ec2nodeclass", "default")["spec"])
    spec["amiSelectorTerms"] = [{"alias": "windows2022@latest"}]
    for field in ("metadataOptions", "blockDeviceMappings"):
        spec.pop(field, None)
    spec["role"] = role
    patient.create(
        {
            "apiVersion": "karpenter.k8s.aws/v1",
            "kind": "EC2NodeClass",
            "metadata": {"name": "windows"},
            "spec": spec,
        }
    )


def add_role(patient, kind=""):
    """Have a role of Windows nodes, let in by an entry of a type or by none."""
    patient.windows_role = make_role(patient.client("iam"), ROLE, TRUST_EC2, NODE_POLICIES)
    if kind:
        patient.client("eks").create_access_entry(
            clusterName=patient.name, principalArn=patient.windows_role, type=kind
        )


def give_addresses(patient):
    meta = {"namespace": "kube-system", "name": "amazon-vpc-cni"}
    data = {"enable-windows-ipam": "true"}
    patient.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": data})


def without_addresses(patient):
    add_role(patient, "EC2_WINDOWS")
    add_class(patient)


def with_entry_of_linux(patient):
    give_addresses(patient)
    add_role(patient, "EC2_LINUX")
    add_class(patient)


def with_line_of_linux(patient):
    """Have the role in `aws-auth` as that of a Linux node would be."""
    give_addresses(patient)
    add_role(patient)
    add_class(patient)
    patient.create(aws_auth([patient.windows_role]))


def with_shared_role(patient):
    give_addresses(patient)
    add_class(patient, patient.get("ec2nodeclass", "default")["spec"]["role"])


def with_image_of_another_build(patient):
    """Have a pod on a Windows node whose image the runtime refuses."""
    labels = {
        "kubernetes.io/os": "windows",
        "node.kubernetes.io/windows-build": "10.0.20348",
    }
    patient.create(
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": NODE, "labels": labels}}
    )
    resources = {"requests": {"cpu": "1m"}}
    patient.create(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "older", "namespace": "default"},
            "spec": {
                "nodeName": NODE,
                "containers": [{"name": "app", "image": "app:ltsc2019", "resources": resources}],
            },
        }
    )
    said = 'failed to pull image "app:ltsc2019": no match for platform in manifest: not found'
    status = {
        "name": "app",
        "image": "app:ltsc2019",
        "imageID": "",
        "ready": False,
        "restartCount": 0,
        "state": {"waiting": {"reason": "ErrImagePull", "message": said}},
    }
    patient.patch(
        "pod",
        "older",
        {"status": {"phase": "Pending", "containerStatuses": [status]}},
        "--subresource=status",
    )


def no_image(patient):
    patient.kubectl("delete", "pod", "older", "--ignore-not-found", "--force", "--grace-period=0")
    patient.delete("node", NODE)


def no_windows(patient):
    """Take everything of Windows away again."""
    patient.delete("ec2nodeclass", "windows")
    patient.delete("configmap", "amazon-vpc-cni", "-n", "kube-system")
    patient.delete("configmap", "aws-auth", "-n", "kube-system")
    iam, eks = patient.client("iam"), patient.client("eks")
    for role in eks.list_access_entries(clusterName=patient.name)["accessEntries"]:
        if role.endswith(f"/{ROLE}"):
            eks.delete_access_entry(clusterName=patient.name, principalArn=role)
    if any(one["RoleName"] == ROLE for one in iam.list_roles()["Roles"]):
        for one in iam.list_attached_role_policies(RoleName=ROLE)["AttachedPolicies"]:
            iam.detach_role_policy(RoleName=ROLE, PolicyArn=one["PolicyArn"])
        iam.delete_role(RoleName=ROLE)
