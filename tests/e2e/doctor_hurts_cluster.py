"""Ways to hurt nodes, pods, the chart and the account of a cluster, and to heal them."""

import copy
import json

from e2e.doctor_hurts import a_daemon, affinity_of, an_item, put_back
from e2e.doctor_rig import CLAIM, a_condition
from nodewright.crds.document import definitions

TOLERATES_ALL = [{"operator": "Exists"}]
APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
LEGACY = ("provisioners.karpenter.sh", "awsnodetemplates.karpenter.k8s.aws")


def fargate_node(patient):
    metadata = {"name": "fargate-1", "labels": {"eks.amazonaws.com/compute-type": "fargate"}}
    patient.create({"apiVersion": "v1", "kind": "Node", "metadata": metadata})
    patient.create(a_daemon("agent", tolerations=TOLERATES_ALL))


def drop_agent(patient):
    patient.delete("daemonset", "agent", "-n", "kube-system")


def taint_pool(patient):
    taints = [{"key": "dedicated", "value": "batch", "effect": "NoSchedule"}]
    patient.patch("nodepool", "default", patient.pool(taints=taints))
    outside = affinity_of([an_item("karpenter.sh/nodepool", operator="DoesNotExist")])
    outside["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"][
        0
    ]["matchExpressions"][0].pop("values")
    patient.create(a_daemon("agent", affinity=outside))


def heal_pool_taint(patient):
    patient.patch("nodepool", "default", patient.pool(taints=None))
    drop_agent(patient)


def late_daemon(patient):
    patient.create(a_daemon("agent", tolerations=TOLERATES_ALL, requests={"cpu": "64"}))
    patient.wait_for(
        "the daemon's pods are unschedulable",
        lambda: (
            (pods := patient.get("pods", "-n", "kube-system", "-l", "app=agent")["items"])
            and all(
                any(c.get("reason") == "Unschedulable" for c in one["status"].get("conditions", []))
                for one in pods
            )
        ),
    )


def stray_key(patient):
    pool = patient.get("nodepool", "default")
    written = {key: pool[key] for key in ("apiVersion", "kind", "spec")}
    written["metadata"] = {"name": "default"}
    written["spec"] = copy.deepcopy(pool["spec"])
    written["spec"]["template"]["spec"]["requirements"][0]["requirements"] = None
    patient.patch(
        "nodepool", "default", {"metadata": {"annotations": {APPLIED: json.dumps(written)}}}
    )


def legacy_kinds(patient):
    wanted = [one for one in definitions(legacy=True) if one["metadata"]["name"] in LEGACY]
    # The definitions of that time had no rules: a webhook refused such an object, where it ran.
    for one in wanted:
        schema = one["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
        schema["properties"]["spec"].pop("x-kubernetes-validations", None)
    patient.create(*wanted)
    for name in LEGACY:
        patient.kubectl("wait", "crd", name, "--for=condition=Established", "--timeout=60s")
    template = {
        "apiVersion": "karpenter.k8s.aws/v1alpha1",
        "kind": "AWSNodeTemplate",
        "metadata": {"name": "older"},
        "spec": {
            "amiFamily": "Bottlerocket",
            "instanceProfile": f"{patient.name}_karpenter",
            "subnetSelector": {"karpenter.sh/discovery": patient.name},
            "securityGroupSelector": {"karpenter.sh/discovery": patient.name},
        },
    }
    provisioner = {
        "apiVersion": "karpenter.sh/v1alpha5",
        "kind": "Provisioner",
        "metadata": {"name": "older"},
        "spec": {
            "providerRef": {"name": "older"},
            "ttlSecondsAfterEmpty": 30,
            "consolidation": {"enabled": True},
            "limits": {"resources": {"cpu": 10}},
        },
    }
    patient.create(template, provisioner)


def drop_legacy_kinds(patient):
    patient.kubectl("delete", "crd", *LEGACY, "--ignore-not-found")


def two_terms(patient):
    not_own = {"key": "karpenter.sh/nodepool", "operator": "DoesNotExist"}
    on_group = an_item("eks.amazonaws.com/nodegroup", "main")
    set_affinity(patient, affinity_of([not_own], [on_group]))


def set_affinity(patient, affinity):
    patch = {"spec": {"template": {"spec": {"affinity": affinity}}}}
    patient.patch("deployment", "karpenter", patch, "-n", "kube-system")


def crowded(patient):
    keep_apart = {
        "podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {
                    "topologyKey": "kubernetes.io/hostname",
                    "labelSelector": {"matchLabels": {"app.kubernetes.io/name": "karpenter"}},
                }
            ]
        }
    }
    not_own = {"key": "karpenter.sh/nodepool", "operator": "DoesNotExist"}
    set_affinity(patient, {**affinity_of([not_own]), **keep_apart})
    patient.kubectl("scale", "-n", "kube-system", "deployment/karpenter", "--replicas=4")
    patient.wait_for(
        "a replica is unschedulable",
        lambda: any(
            c.get("reason") == "Unschedulable"
            for one in patient.get(
                "pods", "-n", "kube-system", "-l", "app.kubernetes.io/name=karpenter"
            )["items"]
            for c in one["status"].get("conditions", [])
        ),
    )


def settle_controller(patient):
    """Put the controller back, and wait until only its own pods are there."""
    put_back("deployment", "karpenter", "-n", "kube-system")(patient)
    patient.wait_for(
        "the controller is as it was",
        lambda: (
            len(
                patient.get("pods", "-n", "kube-system", "-l", "app.kubernetes.io/name=karpenter")[
                    "items"
                ]
            )
            == 2
        ),
    )


def no_dns(patient):
    patient.kubectl("scale", "-n", "kube-system", "deployment/coredns", "--replicas=0")
    patient.wait_for(
        "no DNS pod is ready",
        lambda: (
            not patient.get("deployment", "coredns", "-n", "kube-system")["status"].get(
                "readyReplicas"
            )
        ),
    )


def dns_again(patient):
    patient.kubectl("scale", "-n", "kube-system", "deployment/coredns", "--replicas=2")
    patient.wait_for(
        "the DNS pods are ready",
        lambda: (
            patient.get("deployment", "coredns", "-n", "kube-system")["status"].get("readyReplicas")
            == 2
        ),
    )


def older_definition(patient):
    name = "nodepools.karpenter.sh"
    live = patient.get("crd", name)
    patient.kept_crd = copy.deepcopy(live)
    for version in live["spec"]["versions"]:
        spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
        template = spec["template"]["properties"]["spec"]["properties"]
        template.pop("terminationGracePeriod")
    patient.kubectl("replace", "-f", "-", stdin=json.dumps(live).encode())


def half_of_helm(patient):
    name = "nodepools.karpenter.sh"
    patient.kubectl("label", "crd", name, "app.kubernetes.io/managed-by=Helm")
    patient.kubectl(
        "annotate",
        "crd",
        name,
        "meta.helm.sh/release-name=karpenter-crd",
        "meta.helm.sh/release-namespace=kube-system",
    )


def nobody_of_helm(patient):
    names = [one["metadata"]["name"] for one in patient.get("crds")["items"]]
    patient.kubectl("label", "crd", *names, "app.kubernetes.io/managed-by-")
    patient.kubectl(
        "annotate", "crd", *names, "meta.helm.sh/release-name-", "meta.helm.sh/release-namespace-"
    )


def orphaned(patient):
    patient.kubectl("scale", "-n", "kube-system", "deployment/karpenter", "--replicas=0")
    metadata = {"name": "orphan", "finalizers": ["karpenter.sh/termination"]}
    patient.create({"apiVersion": "v1", "kind": "Node", "metadata": metadata})
    patient.delete("node", "orphan")


def no_orphan(patient):
    patient.kubectl("scale", "-n", "kube-system", "deployment/karpenter", "--replicas=2")
    if patient.account.run_kubectl("get", "node", "orphan").returncode == 0:
        patient.patch("node", "orphan", {"metadata": {"finalizers": None}})


def bare_pods(patient):
    node = patient.pool_node()
    for index in range(3):
        patient.create(
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"name": f"bare-{index}", "namespace": "default"},
                "spec": {"nodeName": node, "containers": [{"name": "app", "image": "app"}]},
            }
        )


def an_older_class(patient):
    meta = {"name": "older"}
    patient.create(
        {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "StorageClass",
            "metadata": meta,
            "provisioner": "kubernetes.io/aws-ebs",
        }
    )


def without_sandboxes(patient):
    """Have a node that waits, with a pod for which the network plugin has no address."""
    patient.add_claim("no-plugin", ["Launched", "Registered"], node={})
    resources = {"requests": {"cpu": "1m"}}
    patient.create(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "no-sandbox", "namespace": "default"},
            "spec": {
                "nodeName": "no-plugin",
                "containers": [{"name": "app", "image": "app", "resources": resources}],
            },
        }
    )
    uid = patient.get("pod", "no-sandbox")["metadata"]["uid"]
    patient.create(
        {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": "no-sandbox", "namespace": "default"},
            "type": "Warning",
            "reason": "FailedCreatePodSandBox",
            "message": "plugin type aws-cni failed (add): failed to assign an IP address to container",
            "involvedObject": {
                "kind": "Pod",
                "namespace": "default",
                "name": "no-sandbox",
                "uid": uid,
            },
        }
    )


def sandboxes_again(patient):
    patient.delete("event", "no-sandbox")
    patient.kubectl(
        "delete", "pod", "no-sandbox", "--ignore-not-found", "--force", "--grace-period=0"
    )
    patient.drop_claim("no-plugin")


def set_condition(kind, status, message=""):
    def hurt(patient):
        claim = patient.get("nodeclaim", CLAIM)
        patient.kept_status = claim["status"]
        told = [
            *claim["status"]["conditions"],
            a_condition(kind, status, "2026-01-02T00:00:00Z", message),
        ]
        patient.patch("nodeclaim", CLAIM, {"status": {"conditions": told}}, "--subresource=status")

    return hurt


def restore_status(patient):
    told = patient.kept_status["conditions"]
    patient.patch("nodeclaim", CLAIM, {"status": {"conditions": told}}, "--subresource=status")


def keep_node(patient):
    set_condition("Drifted", "True")(patient)
    resources = {"requests": {"cpu": "1m"}}
    patient.create(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": "stays",
                "namespace": "default",
                "annotations": {"karpenter.sh/do-not-disrupt": "true"},
            },
            "spec": {
                "nodeName": patient.pool_node(),
                "containers": [{"name": "app", "image": "app", "resources": resources}],
            },
        }
    )


def spread_pods(patient):
    for index in range(5):
        patient.pend(
            f"spread-{index}",
            requests={"cpu": "30"},
            metadata={"labels": {"app": "spread"}},
            topologySpreadConstraints=[
                {
                    "maxSkew": 1,
                    "minDomains": 6,
                    "topologyKey": "topology.kubernetes.io/zone",
                    "whenUnsatisfiable": "DoNotSchedule",
                    "labelSelector": {"matchLabels": {"app": "spread"}},
                }
            ],
        )


def plugin_role(patient):
    trust = {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": "pods.eks.amazonaws.com"},
                "Action": "sts:AssumeRole",
            }
        ],
    }
    made = patient.client("iam").create_role(
        RoleName="plugin", AssumeRolePolicyDocument=json.dumps(trust)
    )
    note = f"eks.amazonaws.com/role-arn={made['Role']['Arn']}"
    patient.kubectl("annotate", "serviceaccount", "aws-node", "-n", "kube-system", note)


def no_plugin_role(patient):
    patient.kubectl(
        "annotate", "serviceaccount", "aws-node", "-n", "kube-system", "eks.amazonaws.com/role-arn-"
    )
    iam = patient.client("iam")
    for one in iam.list_attached_role_policies(RoleName="plugin")["AttachedPolicies"]:
        iam.detach_role_policy(RoleName="plugin", PolicyArn=one["PolicyArn"])
    iam.delete_role(RoleName="plugin")


def a_handler(patient):
    settings = [("ENABLE_REBALANCE_DRAINING", "true"), ("ENABLE_REBALANCE_MONITORING", "true")]
    patient.create(
        a_daemon("aws-node-termination-handler", tolerations=TOLERATES_ALL, env=settings)
    )


def a_balancer(patient):
    labels = {"app": "balancers"}
    arguments = ["--aws-vpc-id=vpc-1", "--aws-region=us-west-2"]
    container = {"name": "controller", "image": "controller", "args": arguments}
    name = "aws-load-balancer-controller"
    patient.create(
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"namespace": "kube-system", "name": name},
            "spec": {
                "replicas": 0,
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
            },
        },
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"namespace": "default", "name": "shop"},
            "spec": {"type": "LoadBalancer", "ports": [{"port": 80}], "selector": labels},
        },
    )


def no_balancer(patient):
    patient.delete("service", "shop", "-n", "default")
    patient.delete("deployment", "aws-load-balancer-controller", "-n", "kube-system")
    eks, iam = patient.client("eks"), patient.client("iam")
    for one in eks.list_pod_identity_associations(clusterName=patient.name)["associations"]:
        if one["serviceAccount"] == "aws-load-balancer-controller":
            eks.delete_pod_identity_association(
                clusterName=patient.name, associationId=one["associationId"]
            )
    role = f"NodewrightBalancerRole-{patient.name}"
    if any(one["RoleName"] == role for one in iam.list_roles()["Roles"]):
        iam.delete_role_policy(RoleName=role, PolicyName="NodewrightLoadBalancers")
        iam.delete_role(RoleName=role)


def shut_out(patient):
    """Take the entry of the node role away."""
    eks = patient.client("eks")
    entries = eks.list_access_entries(clusterName=patient.name)["accessEntries"]
    [patient.kept_role] = [one for one in entries if "/KarpenterNodeRole-" in one]
    eks.delete_access_entry(clusterName=patient.name, principalArn=patient.kept_role)


def let_in(patient):
    eks = patient.client("eks")
    if patient.kept_role not in eks.list_access_entries(clusterName=patient.name)["accessEntries"]:
        eks.create_access_entry(
            clusterName=patient.name, principalArn=patient.kept_role, type="EC2_LINUX"
        )


ENDPOINTS = ("ec2", "ecr.api", "ecr.dkr", "s3", "sts", "ssm", "sqs", "eks")


def shut_in(patient):
    """Leave the private subnets with endpoints and without a way out."""
    ec2 = patient.client("ec2")
    subnets = ec2.describe_subnets(
        Filters=[{"Name": "tag:karpenter.sh/discovery", "Values": [patient.name]}]
    )["Subnets"]
    ids, vpc = [one["SubnetId"] for one in subnets], subnets[0]["VpcId"]
    tables = ec2.describe_route_tables(
        Filters=[{"Name": "association.subnet-id", "Values": [ids[0]]}]
    )["RouteTables"]
    table = tables[0]["RouteTableId"]
    [route] = [one for one in tables[0]["Routes"] if one.get("NatGatewayId")]
    patient.kept_route = (table, route["NatGatewayId"])
    patient.kept_endpoints = []
    for name in ENDPOINTS:
        service = f"com.amazonaws.{patient.account.scenario.region}.{name}"
        kind = (
            {"VpcEndpointType": "Gateway", "RouteTableIds": [table]}
            if name == "s3"
            else {"VpcEndpointType": "Interface", "SubnetIds": ids, "PrivateDnsEnabled": True}
        )
        made = ec2.create_vpc_endpoint(VpcId=vpc, ServiceName=service, **kind)
        patient.kept_endpoints.append(made["VpcEndpoint"]["VpcEndpointId"])
    ec2.delete_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0")


def let_out(patient):
    ec2 = patient.client("ec2")
    table, gateway = patient.kept_route
    ec2.create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", NatGatewayId=gateway)
    ec2.delete_vpc_endpoints(VpcEndpointIds=patient.kept_endpoints)
