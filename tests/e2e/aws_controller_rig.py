"""What the tests of the controller on EC2 need: an account as an install leaves it, and its controller.

The controller is a user of the account who may do what the generated policies allow and nothing
else, and a service account of the cluster with the role of the chart and nothing else.
"""

import json

import httpx2
import msgspec
import yaml

from e2e.controller_rig import Replica, write_kubeconfig
from e2e.kube_rig import NAMESPACE, role_access
from nodewright.aws.bucket import Place
from nodewright.aws.policy import Account, policies
from nodewright.crds.document import definitions
from nodewright.sandbox.accounts.roles import (
    NODE_POLICIES,
    TRUST_EC2,
    document,
    make_profile,
    make_role,
)

NUMBER = "123456789012"
CLAIM = "karpenter.sh/nodeclaim"
RULES = {
    "Interruption": ("aws.ec2", "EC2 Spot Instance Interruption Warning"),
    "Rebalance": ("aws.ec2", "EC2 Instance Rebalance Recommendation"),
    "Reservation": ("aws.ec2", "EC2 Capacity Reservation Instance Interruption Warning"),
    "ScheduledChange": ("aws.health", "AWS Health Event"),
    "StateChange": ("aws.ec2", "EC2 Instance State-change Notification"),
}
ALIVE = ("pending", "running")


class Installed:
    """A cluster of EKS on which the controller can run, with what it left in the account."""

    def __init__(self, account, folder):
        self.account = account
        self.name = account.name
        self.region = account.sandbox.record.aws_region
        self._url = account.sandbox.record.aws_url
        self._folder = folder
        listed = {"apiVersion": "v1", "kind": "List", "items": definitions(legacy=True)}
        account.kubectl(
            "apply", "--server-side", "--force-conflicts", "-f", "-",
            stdin=msgspec.json.encode(listed),
        )  # fmt: skip
        self._kubeconfig = write_kubeconfig(account, role_access(account))
        self.node_role = f"NodewrightNodeRole-{self.name}"
        self.copies = Place(f"{self.name}-logs", "journal")
        self._make_roles()
        self._make_queue()
        self._keys = self._make_user()

    def _make_roles(self):
        iam = self.account.client("iam")
        role = make_role(iam, self.node_role, TRUST_EC2, NODE_POLICIES)
        self.account.client("eks").create_access_entry(
            clusterName=self.name, principalArn=role, type="EC2_LINUX"
        )
        # The name that Karpenter's guides gave it, and that templates without one count on.
        self.profile = f"KarpenterNodeInstanceProfile-{self.name}"
        make_profile(iam, self.profile, self.node_role)
        iam.create_service_linked_role(AWSServiceName="spot.amazonaws.com")

    def _make_queue(self):
        sqs, events = self.account.client("sqs"), self.account.client("events")
        arn = f"arn:aws:sqs:{self.region}:{NUMBER}:{self.name}"
        sender = {
            "Effect": "Allow",
            "Principal": {"Service": "events.amazonaws.com"},
            "Action": "sqs:SendMessage",
            "Resource": arn,
        }
        told = {"MessageRetentionPeriod": "300", "Policy": document(sender)}
        sqs.create_queue(QueueName=self.name, Attributes=told)
        for name, (source, kind) in RULES.items():
            pattern = json.dumps({"source": [source], "detail-type": [kind]})
            events.put_rule(Name=name, EventPattern=pattern)
            events.put_targets(Rule=name, Targets=[{"Id": "queue", "Arn": arn}])

    def _make_user(self):
        iam = self.account.client("iam")
        place = Account(
            account_id=NUMBER,
            region=self.region,
            cluster=self.name,
            node_role=f"arn:aws:iam::{NUMBER}:role/{self.node_role}",
            queue=self.name,
            journal=self.copies,
        )
        iam.create_user(UserName="controller")
        for part, written in policies(place).items():
            made = iam.create_policy(PolicyName=part, PolicyDocument=json.dumps(written))
            iam.attach_user_policy(UserName="controller", PolicyArn=made["Policy"]["Arn"])
        return iam.create_access_key(UserName="controller")["AccessKey"]

    def replica(self, *flags):
        """A controller of this cluster, not started yet."""
        environment = {
            **self.account.environment,
            "AWS_ACCESS_KEY_ID": self._keys["AccessKeyId"],
            "AWS_SECRET_ACCESS_KEY": self._keys["SecretAccessKey"],
            "CLUSTER_NAME": self.name,
            "INTERRUPTION_QUEUE": self.name,
            "BATCH_IDLE_DURATION": "200ms",
        }
        return Replica(
            self._kubeconfig, self._folder, "replica-0", *flags,
            cloud="aws", environment=environment,
        )  # fmt: skip

    def journal(self):
        """Give the folder in which replicas keep their journal."""
        return self._folder / "replica-0-journal"

    def make_bucket(self):
        """Make the bucket that the policies let the controller put copies of its journal into."""
        where = {"LocationConstraint": self.region}
        s3 = self.account.client("s3")
        s3.create_bucket(Bucket=self.copies.bucket, CreateBucketConfiguration=where)

    def status(self):
        """Give what the controller says of itself, nothing before it has said anything."""
        found = self.account.run_kubectl(
            "get",
            "configmap",
            "nodewright-status",
            "-n",
            NAMESPACE,
            "-o",
            "jsonpath={.data.status}",
        )
        return yaml.safe_load(found.stdout) if found.returncode == 0 else {}

    def condition(self, name):
        """Give a condition of the status by its type."""
        found = self.status().get("conditions", ())
        return next((one for one in found if one["type"] == name), None)

    def tell(self, door, **asked):
        """Say something to the stand-in itself, and give its answer."""
        reply = httpx2.post(f"{self._url}/_standin/{door}", json=asked, timeout=30)
        assert reply.status_code == 200, reply.text
        return reply.json()

    def calls(self, name=""):
        """Give what the controller asked of AWS, of one operation or of all."""
        user = f"arn:aws:iam::{NUMBER}:user/controller"
        return [one for one in self.tell("calls", name=name) if one["principal"] == user]

    def refusals(self):
        """Give the operations that the policies did not allow."""
        refused = ("UnauthorizedOperation", "AccessDenied", "AccessDeniedException")
        return sorted({one["name"] for one in self.calls() if one["error"] in refused})

    def instances(self, *states):
        """Give the instances that were made for claims of this cluster, ended ones too."""
        filters = [{"Name": "tag-key", "Values": [CLAIM]}]
        if states:
            filters.append({"Name": "instance-state-name", "Values": list(states)})
        found = self.account.client("ec2").describe_instances(Filters=filters)["Reservations"]
        return [one for reservation in found for one in reservation["Instances"]]

    def templates(self):
        """Name the launch templates that the controller has made, each with its class."""
        filters = [{"Name": "tag:nodewright.dev/cluster", "Values": [self.name]}]
        found = self.account.client("ec2").describe_launch_templates(
            Filters=filters, MaxResults=200
        )
        return [
            (one["LaunchTemplateName"], tags_of(one)["karpenter.k8s.aws/ec2nodeclass"])
            for one in found["LaunchTemplates"]
        ]

    def message_count(self):
        """Count the messages in the queue, those on their way included."""
        sqs = self.account.client("sqs")
        url = sqs.get_queue_url(QueueName=self.name)["QueueUrl"]
        names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
        found = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=names)["Attributes"]
        return sum(int(found[name]) for name in names)

    def profiles(self):
        """Name the instance profiles that the controller has made."""
        path = f"/karpenter/{self.region}/{self.name}/"
        found = self.account.client("iam").list_instance_profiles(PathPrefix=path)
        return [one["InstanceProfileName"] for one in found["InstanceProfiles"]]

    def nodes(self):
        """Give the nodes of claims that are ready."""
        found = self.account.get("nodes", "-l", "karpenter.sh/nodepool")["items"]
        return [one for one in found if is_ready(one)]


def is_ready(node):
    conditions = node.get("status", {}).get("conditions", [])
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)


def tags_of(instance):
    return {one["Key"]: one["Value"] for one in instance.get("Tags", ())}


def an_ec2_class(installed, name="default", **spec):
    terms = [{"tags": {"karpenter.sh/discovery": installed.name}}]
    return {
        "apiVersion": "karpenter.k8s.aws/v1",
        "kind": "EC2NodeClass",
        "metadata": {"name": name},
        "spec": {
            "role": installed.node_role,
            "amiSelectorTerms": [{"alias": "al2023@latest"}],
            "subnetSelectorTerms": terms,
            "securityGroupSelectorTerms": terms,
            **spec,
        },
    }


def an_ec2_pool(name="default", node_class="default", capacity=("spot", "on-demand"), **spec):
    """A pool whose nodes have a taint of its name, so that scenes do not meet."""
    reference = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": node_class}
    wanted = {
        "kubernetes.io/arch": ["amd64"],
        "karpenter.sh/capacity-type": list(capacity),
        "karpenter.k8s.aws/instance-category": ["c", "m", "r"],
    }
    template = {
        "nodeClassRef": reference,
        "taints": [{"key": "scene", "value": name, "effect": "NoSchedule"}],
        "requirements": [
            {"key": key, "operator": "In", "values": values} for key, values in wanted.items()
        ],
    }
    return {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": name},
        "spec": {
            "template": {"metadata": {"labels": {"scene": name}}, "spec": template},
            "disruption": {"consolidateAfter": "1s"},
            **spec,
        },
    }


def a_load(name, replicas=3, cpu="1"):
    """Pods that only nodes of the scene's pool can take."""
    labels = {"app": name}
    container = {"name": "c", "image": "x", "resources": {"requests": {"cpu": cpu}}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {
                    "terminationGracePeriodSeconds": 1,
                    "nodeSelector": {"scene": name},
                    "tolerations": [{"key": "scene", "operator": "Exists"}],
                    "containers": [container],
                },
            },
        },
    }
