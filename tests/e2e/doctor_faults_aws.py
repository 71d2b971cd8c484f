"""Faults of identity, network, classes and queue, each made in an account that enforces its policies."""

import json

from e2e.doctor_hurts import an_item, both, only, restore_requirements
from e2e.doctor_rig import Fault, a_condition

NODE_ROLE = "KarpenterNodeRole-shop"
CONTROLLER_ROLE = "KarpenterControllerRole-shop"
POLICY = "KarpenterControllerPolicy-shop"
DISCOVERY = "karpenter.sh/discovery"
OWNED = "kubernetes.io/cluster/shop"
OTHER = "warehouse"


def cluster(patient):
    return patient.client("eks").describe_cluster(name="shop")["cluster"]


def network(patient):
    return cluster(patient)["resourcesVpcConfig"]


def tag(patient, resources, key, value):
    tags = [{"Key": key, "Value": value}]
    patient.client("ec2").create_tags(Resources=list(resources), Tags=tags)


def untag(patient, resources, key):
    patient.client("ec2").delete_tags(Resources=list(resources), Tags=[{"Key": key}])


def own_subnets(patient):
    """Name the subnets that the class finds."""
    filters = [{"Name": f"tag:{DISCOVERY}", "Values": ["shop"]}]
    found = patient.client("ec2").describe_subnets(Filters=filters)["Subnets"]
    return [one["SubnetId"] for one in found]


def lose_groups(patient):
    patient.lost = network(patient)["clusterSecurityGroupId"]
    untag(patient, [patient.lost], DISCOVERY)


def find_groups(patient):
    tag(patient, [patient.lost], DISCOVERY, "shop")


def lose_subnets(patient):
    patient.lost = own_subnets(patient)
    untag(patient, patient.lost, DISCOVERY)


def find_subnets(patient):
    tag(patient, patient.lost, DISCOVERY, "shop")


def add_group(patient):
    ec2 = patient.client("ec2")
    made = ec2.create_security_group(
        GroupName="second", Description="second", VpcId=network(patient)["vpcId"]
    )
    patient.made = made["GroupId"]
    tag(patient, [patient.made], DISCOVERY, "shop")
    tag(patient, [patient.made], OWNED, "owned")


def drop_group(patient):
    patient.client("ec2").delete_security_group(GroupId=patient.made)


def add_cluster(patient):
    patient.client("eks").create_cluster(
        name=OTHER,
        roleArn="arn:aws:iam::123456789012:role/eks",
        resourcesVpcConfig={"subnetIds": network(patient)["subnetIds"]},
    )


def drop_cluster(patient):
    patient.client("eks").delete_cluster(name=OTHER)


def copy_terms(patient):
    terms = [{"tags": {DISCOVERY: OTHER}}]
    patient.kept = patient.get("ec2nodeclass", "default")["spec"]
    spec = {"subnetSelectorTerms": terms, "securityGroupSelectorTerms": terms}
    patient.patch("ec2nodeclass", "default", {"spec": spec})


def restore_terms(patient):
    names = ("subnetSelectorTerms", "securityGroupSelectorTerms")
    spec = {name: patient.kept[name] for name in names}
    patient.patch("ec2nodeclass", "default", {"spec": spec})


def drop_agent(patient):
    patient.client("eks").delete_addon(clusterName="shop", addonName="eks-pod-identity-agent")
    patient.delete("daemonset", "eks-pod-identity-agent", "-n", "kube-system")
    patient.wait_for(
        "the agent is gone",
        lambda: "eks-pod-identity-agent" not in str(patient.get("daemonset", "-n", "kube-system")),
    )


def add_agent(patient):
    addons = patient.client("eks").list_addons(clusterName="shop")["addons"]
    if "eks-pod-identity-agent" not in addons:
        patient.client("eks").create_addon(clusterName="shop", addonName="eks-pod-identity-agent")


def add_stale_role(patient):
    iam = patient.client("iam")
    name = "eksctl-KarpenterNodeRole-gone"
    trust = iam.get_role(RoleName=NODE_ROLE)["Role"]["AssumeRolePolicyDocument"]
    iam.create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(trust))
    iam.create_instance_profile(InstanceProfileName=name)
    iam.add_role_to_instance_profile(InstanceProfileName=name, RoleName=name)
    arn = "arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy"
    iam.attach_role_policy(RoleName=name, PolicyArn=arn)


def add_small_subnet(patient):
    ec2 = patient.client("ec2")
    vpc = network(patient)["vpcId"]
    known = ec2.describe_subnets(SubnetIds=own_subnets(patient)[:1])["Subnets"][0]
    ec2.associate_vpc_cidr_block(VpcId=vpc, CidrBlock="100.64.0.0/16")
    made = ec2.create_subnet(
        VpcId=vpc, CidrBlock="100.64.0.0/28", AvailabilityZone=known["AvailabilityZone"]
    )
    patient.made = made["Subnet"]["SubnetId"]
    filters = [{"Name": "association.subnet-id", "Values": [known["SubnetId"]]}]
    table = ec2.describe_route_tables(Filters=filters)["RouteTables"][0]["RouteTableId"]
    patient.linked = ec2.associate_route_table(RouteTableId=table, SubnetId=patient.made)
    tag(patient, [patient.made], DISCOVERY, "shop")


def drop_small_subnet(patient):
    ec2 = patient.client("ec2")
    ec2.disassociate_route_table(AssociationId=patient.linked["AssociationId"])
    ec2.delete_subnet(SubnetId=patient.made)


def close_group(patient):
    ec2 = patient.client("ec2")
    patient.closed = network(patient)["clusterSecurityGroupId"]
    group = ec2.describe_security_groups(GroupIds=[patient.closed])["SecurityGroups"][0]
    patient.rules = group["IpPermissions"]
    ec2.revoke_security_group_ingress(GroupId=patient.closed, IpPermissions=patient.rules)


def open_group(patient):
    ec2 = patient.client("ec2")
    group = ec2.describe_security_groups(GroupIds=[patient.closed])["SecurityGroups"][0]
    if group["IpPermissions"]:
        ec2.revoke_security_group_ingress(
            GroupId=patient.closed, IpPermissions=group["IpPermissions"]
        )
    ec2.authorize_security_group_ingress(GroupId=patient.closed, IpPermissions=patient.rules)


def close_routes(patient):
    ec2 = patient.client("ec2")
    filters = [{"Name": "association.subnet-id", "Values": own_subnets(patient)}]
    patient.routes = []
    for table in ec2.describe_route_tables(Filters=filters)["RouteTables"]:
        for route in table["Routes"]:
            if route.get("DestinationCidrBlock") == "0.0.0.0/0":
                patient.routes.append((table["RouteTableId"], route["NatGatewayId"]))
                ec2.delete_route(
                    RouteTableId=table["RouteTableId"], DestinationCidrBlock="0.0.0.0/0"
                )


def open_routes(patient):
    for table, gateway in patient.routes:
        patient.client("ec2").create_route(
            RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", NatGatewayId=gateway
        )


def detach(policy):
    params = {"RoleName": NODE_ROLE, "PolicyArn": f"arn:aws:iam::aws:policy/{policy}"}

    def hurt(patient):
        patient.client("iam").detach_role_policy(**params)

    def heal(patient):
        patient.client("iam").attach_role_policy(**params)

    return hurt, heal


def edit_policy(change):
    """Make a fault of the controller's own policy."""

    def hurt(patient):
        iam = patient.client("iam")
        told = iam.get_role_policy(RoleName=CONTROLLER_ROLE, PolicyName=POLICY)
        patient.kept = told["PolicyDocument"]
        document = json.loads(json.dumps(patient.kept))
        document["Statement"] = [one for one in map(change, document["Statement"]) if one]
        put_policy(patient, document)

    return hurt


def put_policy(patient, document):
    patient.client("iam").put_role_policy(
        RoleName=CONTROLLER_ROLE, PolicyName=POLICY, PolicyDocument=json.dumps(document)
    )


def restore_policy(patient):
    iam = patient.client("iam")
    put_policy(patient, patient.kept)
    for name in iam.list_role_policies(RoleName=CONTROLLER_ROLE)["PolicyNames"]:
        if name != POLICY:
            iam.delete_role_policy(RoleName=CONTROLLER_ROLE, PolicyName=name)


def without_parameters(statement):
    kept = [one for one in statement["Action"] if one != "ssm:GetParameter"]
    return {**statement, "Action": kept} if statement["Sid"] == "Read" else statement


def by_old_name(statement):
    if statement["Sid"] != "End":
        return statement
    return {**statement, "Condition": {"StringLike": {"ec2:ResourceTag/Name": "*karpenter*"}}}


def set_status(**status):
    def act(patient):
        patient.patch("ec2nodeclass", "default", {"status": status}, "--subresource=status")

    return act


def keep_status(patient):
    patient.status = patient.get("ec2nodeclass", "default").get("status", {})


def restore_status(patient):
    fields = ("amis", "conditions", "instanceProfile")
    status = {name: patient.status.get(name) for name in fields}
    patient.patch("ec2nodeclass", "default", {"status": status}, "--subresource=status")


def add_image(name, root="/dev/xvda"):
    """Have the class resolve to an image of one's own."""

    def hurt(patient):
        keep_status(patient)
        made = patient.client("ec2").register_image(
            Name=name, Architecture="x86_64", RootDeviceName=root, VirtualizationType="hvm"
        )
        patient.image = made["ImageId"]
        image = {"id": patient.image, "name": name, "requirements": []}
        set_status(amis=[image])(patient)

    return hurt


def drop_image(patient):
    patient.client("ec2").deregister_image(ImageId=patient.image)
    restore_status(patient)


def set_spec(**fields):
    return lambda patient: patient.patch("ec2nodeclass", "default", {"spec": fields})


def add_key(patient):
    """Encrypt volumes with a key that lets only its administrators in."""
    policy = {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": "Administrators",
                "Effect": "Allow",
                "Principal": {"AWS": "arn:aws:iam::123456789012:role/administrators"},
                "Action": "kms:*",
                "Resource": "*",
            }
        ],
    }
    kms = patient.client("kms")
    made = kms.create_key(Policy=json.dumps(policy), BypassPolicyLockoutSafetyCheck=True)
    patient.key = made["KeyMetadata"]["Arn"]
    ebs = {"volumeSize": "20Gi", "encrypted": True, "kmsKeyID": patient.key}
    set_spec(blockDeviceMappings=[{"deviceName": "/dev/xvda", "ebs": ebs}])(patient)


def drop_queue(patient):
    sqs = patient.client("sqs")
    sqs.delete_queue(QueueUrl=sqs.get_queue_url(QueueName="shop")["QueueUrl"])


def restore_queue(patient):
    arn = f"arn:aws:sqs:us-west-2:{cluster(patient)['arn'].split(':')[4]}:shop"
    sender = {
        "Effect": "Allow",
        "Principal": {"Service": ["events.amazonaws.com", "sqs.amazonaws.com"]},
        "Action": "sqs:SendMessage",
        "Resource": arn,
    }
    document = {"Version": "2012-10-17", "Statement": [sender]}
    sqs = patient.client("sqs")
    sqs.create_queue(QueueName="shop")
    url = sqs.get_queue_url(QueueName="shop")["QueueUrl"]
    sqs.set_queue_attributes(QueueUrl=url, Attributes={"Policy": json.dumps(document)})


def drop_rule(patient):
    events = patient.client("events")
    name = "SpotInterruptionRule-shop"
    patient.rule = events.describe_rule(Name=name)
    patient.targets = events.list_targets_by_rule(Rule=name)["Targets"]
    events.remove_targets(Rule=name, Ids=[one["Id"] for one in patient.targets])
    events.delete_rule(Name=name)


def restore_rule(patient):
    events = patient.client("events")
    name = "SpotInterruptionRule-shop"
    events.put_rule(Name=name, EventPattern=patient.rule["EventPattern"])
    events.put_targets(Rule=name, Targets=patient.targets)
    made = "NodewrightSpotInterruption-shop"
    if any(one["Name"] == made for one in events.list_rules()["Rules"]):
        targets = events.list_targets_by_rule(Rule=made)["Targets"]
        events.remove_targets(Rule=made, Ids=[one["Id"] for one in targets])
        events.delete_rule(Name=made)


def close_queue(patient):
    sqs = patient.client("sqs")
    url = sqs.get_queue_url(QueueName="shop")["QueueUrl"]
    sqs.set_queue_attributes(QueueUrl=url, Attributes={"Policy": ""})


def set_variable(name, value):
    word = f"{name}={value}" if value else f"{name}-"

    def act(patient):
        patient.kubectl("set", "env", "-n", "kube-system", "deployment/karpenter", word)

    return act


def break_trust(patient):
    iam = patient.client("iam")
    role = iam.get_role(RoleName=CONTROLLER_ROLE)["Role"]
    patient.trust = role["AssumeRolePolicyDocument"]
    other = {"Service": "ec2.amazonaws.com"}
    statements = [{"Effect": "Allow", "Principal": other, "Action": "sts:AssumeRole"}]
    document = {"Version": "2012-10-17", "Statement": statements}
    iam.update_assume_role_policy(RoleName=CONTROLLER_ROLE, PolicyDocument=json.dumps(document))


def restore_trust(patient):
    patient.client("iam").update_assume_role_policy(
        RoleName=CONTROLLER_ROLE, PolicyDocument=json.dumps(patient.trust)
    )


def drop_association(patient):
    eks = patient.client("eks")
    for one in eks.list_pod_identity_associations(clusterName="shop")["associations"]:
        if one["serviceAccount"] == "karpenter":
            name = one["associationId"]
            told = eks.describe_pod_identity_association(clusterName="shop", associationId=name)
            patient.association = told["association"]
            eks.delete_pod_identity_association(clusterName="shop", associationId=name)


def restore_association(patient):
    names = ("clusterName", "namespace", "serviceAccount", "roleArn")
    known = {name: patient.association[name] for name in names}
    patient.client("eks").create_pod_identity_association(**known)


def allow_spot(patient):
    key = "karpenter.sh/capacity-type"
    only(key)(patient)
    kept = [one for one in patient.kept if one["key"] != key]
    spot = an_item(key, "spot", "on-demand")
    patient.patch("nodepool", "default", patient.pool(requirements=[*kept, spot]))


def forbid_spot(patient):
    restore_requirements(patient)
    patient.client("iam").delete_service_linked_role(RoleName="AWSServiceRoleForEC2Spot")


def empty_profile(patient):
    keep_status(patient)
    iam = patient.client("iam")
    iam.create_instance_profile(InstanceProfileName="shop_made")
    set_status(instanceProfile="shop_made")(patient)


def drop_profile(patient):
    iam = patient.client("iam")
    profile = iam.get_instance_profile(InstanceProfileName="shop_made")["InstanceProfile"]
    for one in profile["Roles"]:
        iam.remove_role_from_instance_profile(
            InstanceProfileName="shop_made", RoleName=one["RoleName"]
        )
    iam.delete_instance_profile(InstanceProfileName="shop_made")
    restore_status(patient)


def refuse_validation(patient):
    keep_status(patient)
    failed = a_condition("ValidationSucceeded", "False")
    failed["reason"] = "CreateFleetAuthCheckFailed"
    others = [
        one
        for one in patient.status.get("conditions") or []
        if one["type"] != "ValidationSucceeded"
    ]
    set_status(conditions=[*others, failed])(patient)


def forget_refusal(patient):
    patient.kubectl("annotate", "ec2nodeclass", "default", "nodewright.dev/looked-at-")
    restore_status(patient)


def nothing(patient):
    """Leave all as it is."""


FAULTS = [
    Fault("NW-3001", lose_groups, find_groups, is_fixable=True),
    Fault("NW-3002", add_group, drop_group, is_fixable=True),
    Fault(
        "NW-3003",
        both(add_cluster, copy_terms),
        both(restore_terms, drop_cluster),
        is_fixable=True,
        name="other-cluster",
    ),
    Fault("NW-3005", drop_agent, add_agent, is_fixable=True),
    Fault("NW-3006", add_stale_role, nothing, is_fixable=True),
    Fault("NW-3007", add_small_subnet, drop_small_subnet),
    Fault("NW-3008", close_group, open_group, is_fixable=True),
    Fault("NW-3009", close_routes, open_routes),
    Fault("NW-3010", *detach("AmazonEKSWorkerNodePolicy"), is_fixable=True),
    Fault("NW-3011", edit_policy(without_parameters), restore_policy, is_fixable=True),
    Fault("NW-3013", add_image("amazon-eks-node-1.36-v1"), drop_image),
    Fault(
        "NW-3014",
        set_spec(userData="Content-Type: multipart/mixed; boundary=x\n\nnothing\n"),
        set_spec(userData=None),
    ),
    Fault("NW-3015", lose_subnets, find_subnets, is_fixable=True),
    Fault("NW-3020", add_key, set_spec(blockDeviceMappings=None), is_fixable=True),
    Fault("NW-3021", drop_queue, restore_queue, is_fixable=True, name="queue"),
    Fault("NW-3021", drop_rule, restore_rule, is_fixable=True, name="rule"),
    Fault("NW-3021", close_queue, restore_queue, is_fixable=True, name="policy"),
    Fault(
        "NW-3021",
        set_variable("INTERRUPTION_QUEUE", ""),
        set_variable("INTERRUPTION_QUEUE", "shop"),
        is_fixable=True,
        name="setting",
    ),
    Fault("NW-3032", edit_policy(by_old_name), restore_policy, is_fixable=True),
    Fault("NW-3033", break_trust, restore_trust, is_fixable=True, name="trust"),
    Fault("NW-3033", drop_association, restore_association, name="association"),
    Fault("NW-3034", allow_spot, forbid_spot, is_fixable=True),
    Fault("NW-3036", set_spec(role="r" * 65), set_spec(role=NODE_ROLE)),
    Fault(
        "NW-3051",
        both(
            add_image("amazon-eks-node-1.34-own", root="/dev/sda1"),
            set_spec(
                blockDeviceMappings=[{"deviceName": "/dev/xvda", "ebs": {"volumeSize": "20Gi"}}]
            ),
        ),
        both(set_spec(blockDeviceMappings=None), drop_image),
        is_fixable=True,
    ),
    Fault(
        "NW-3053",
        add_image("amazon-eks-node-1.34-old"),
        drop_image,
        later_min=366 * 24 * 60,
    ),
    Fault("NW-3057", refuse_validation, forget_refusal, is_fixable=True),
    Fault("NW-3059", empty_profile, drop_profile, is_fixable=True),
    Fault(
        "NW-3060",
        set_variable("CLUSTER_NAME", OTHER),
        set_variable("CLUSTER_NAME", "shop"),
    ),
]
