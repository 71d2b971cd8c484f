"""Faults of pools, nodes, pods, chart, versions and load balancers, each made on a real control plane."""

import copy
import json

from e2e.doctor_rig import CLAIM, Fault, a_condition
from nodewright.crds.document import definitions

REQUIREMENTS = ("spec", "template", "spec", "requirements")
TOLERATES_ALL = [{"operator": "Exists"}]
APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
LEGACY = ("provisioners.karpenter.sh", "awsnodetemplates.karpenter.k8s.aws")
NO_FARGATE = {"key": "eks.amazonaws.com/compute-type", "operator": "NotIn", "values": ["fargate"]}


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


def windows_class(patient):
    spec = copy.deepcopy(patient.get("ec2nodeclass", "default")["spec"])
    spec["amiSelectorTerms"] = [{"alias": "windows2022@latest"}]
    spec.pop("metadataOptions", None)
    spec.pop("blockDeviceMappings", None)
    patient.create(
        {
            "apiVersion": "karpenter.k8s.aws/v1",
            "kind": "EC2NodeClass",
            "metadata": {"name": "windows"},
            "spec": spec,
        }
    )


def no_windows(patient):
    patient.delete("ec2nodeclass", "windows")
    patient.delete("configmap", "amazon-vpc-cni", "-n", "kube-system")


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


FAMILY = "karpenter.k8s.aws/instance-family"
BRANCHES = "vpc.amazonaws.com/pod-eni"
GPU = "nvidia.com/gpu"
TYPE = "node.kubernetes.io/instance-type"

FAULTS = [
    Fault("NW-3003", set_class(tags={"team": "${TEAM}"}), set_class(tags=None)),
    Fault("NW-3004", a_balancer, no_balancer, is_fixable=True),
    Fault("NW-3012", taint_pool, heal_pool_taint, is_fixable=True, name="daemons"),
    Fault(
        "NW-3012",
        lambda patient: patient.add_claim(
            "tainted",
            ["Launched", "Registered"],
            node={"taints": [{"key": "karpenter.sh/unregistered", "effect": "NoExecute"}]},
        ),
        lambda patient: patient.drop_claim("tainted"),
        later_min=60,
        name="taint",
    ),
    Fault(
        "NW-3016",
        lambda patient: patient.pend("picky", nodeSelector={"team": "none"}),
        drop_pods("picky"),
    ),
    Fault("NW-3017", require(an_item("efa", "true")), restore_requirements, is_fixable=True),
    Fault("NW-3018", late_daemon, drop_agent),
    Fault(
        "NW-3019",
        fargate_node,
        both(drop_agent, lambda patient: patient.delete("node", "fargate-1")),
        is_fixable=True,
    ),
    Fault(
        "NW-3022",
        both(
            set_plugin("true"),
            want_only(an_item(FAMILY, "t3")),
            lambda patient: patient.pend(
                "branches", limits={BRANCHES: "1"}, requests={BRANCHES: "1"}
            ),
        ),
        both(set_plugin("false"), restore_requirements, drop_pods("branches")),
    ),
    Fault(
        "NW-3023",
        lambda patient: patient.pend("branches", limits={BRANCHES: "1"}, requests={BRANCHES: "1"}),
        both(set_plugin("false"), drop_pods("branches")),
        is_fixable=True,
    ),
    Fault(
        "NW-3024",
        lambda patient: patient.add_claim(
            "plain", ["Launched", "Registered"], capacity={GPU: "1"}, node={}
        ),
        lambda patient: patient.drop_claim("plain"),
        later_min=60,
    ),
    Fault("NW-3025", shut_out, let_in, is_fixable=True),
    Fault("NW-3026", require(an_item(TYPE, "c", "m")), restore_requirements, is_fixable=True),
    Fault(
        "NW-3027",
        stray_key,
        lambda patient: patient.patch(
            "nodepool", "default", {"metadata": {"annotations": {APPLIED: None}}}
        ),
        is_fixable=True,
    ),
    Fault(
        "NW-3028",
        only("karpenter.k8s.aws/instance-generation"),
        restore_requirements,
        is_fixable=True,
    ),
    Fault("NW-3029", legacy_kinds, drop_legacy_kinds),
    Fault(
        "NW-3030",
        both(keep("deployment", "karpenter", "-n", "kube-system"), two_terms),
        settle_controller,
        is_fixable=True,
    ),
    Fault(
        "NW-3031",
        both(keep("deployment", "karpenter", "-n", "kube-system"), crowded),
        settle_controller,
    ),
    Fault(
        "NW-3035",
        both(keep("deployment", "karpenter", "-n", "kube-system"), no_dns),
        both(dns_again, settle_controller),
        is_fixable=True,
    ),
    Fault(
        "NW-3037",
        older_definition,
        put_back("crd", "nodepools.karpenter.sh"),
        is_fixable=True,
    ),
    Fault("NW-3038", half_of_helm, nobody_of_helm, is_fixable=True),
    Fault("NW-3040", orphaned, no_orphan, is_fixable=True),
    Fault(
        "NW-3041",
        require(an_item(TYPE, "c1.medium", "m5.large")),
        restore_requirements,
        is_fixable=True,
    ),
    Fault("NW-3042", bare_pods, drop_pods("bare-0", "bare-1", "bare-2")),
    Fault("NW-3043", an_older_class, lambda patient: patient.delete("storageclass", "older")),
    Fault("NW-3044", set_class(kubelet={"maxPods": 500}), set_class(kubelet=None)),
    Fault("NW-3045", windows_class, no_windows, is_fixable=True),
    Fault(
        "NW-3046",
        set_condition("ConsistentStateFound", "False", "expected 8Gi of memory, found 7.5Gi"),
        restore_status,
    ),
    Fault("NW-3047", spread_pods, drop_pods(*(f"spread-{index}" for index in range(5)))),
    Fault(
        "NW-3048",
        lambda patient: patient.pend("huge", requests={"cpu": "900"}),
        drop_pods("huge"),
    ),
    Fault(
        "NW-3049",
        both(
            want_only(an_item(FAMILY, "g6f")),
            lambda patient: patient.pend("graphics", requests={GPU: "1"}, limits={GPU: "1"}),
        ),
        both(restore_requirements, drop_pods("graphics")),
    ),
    Fault("NW-3050", keep_node, both(restore_status, drop_pods("stays"))),
    Fault("NW-3052", plugin_role, no_plugin_role, is_fixable=True),
    Fault(
        "NW-3054",
        lambda patient: patient.add_claim("slow", ["Launched"]),
        lambda patient: patient.drop_claim("slow"),
        later_min=60,
    ),
    Fault(
        "NW-3055",
        a_handler,
        lambda patient: patient.delete(
            "daemonset", "aws-node-termination-handler", "-n", "kube-system"
        ),
        is_fixable=True,
    ),
    Fault(
        "NW-3056",
        both(keep("deployment", "karpenter", "-n", "kube-system"), shut_in),
        both(let_out, settle_controller),
        is_fixable=True,
    ),
    Fault(
        "NW-3058",
        set_class(amiSelectorTerms=[{"alias": "al2@latest"}]),
        set_class(amiSelectorTerms=[{"alias": "al2023@latest"}]),
        is_fixable=True,
    ),
]
