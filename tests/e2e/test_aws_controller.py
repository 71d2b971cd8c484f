"""The controller on EC2: a real control plane, an account that enforces policies, and only our own.

All scenes share one cluster and one controller; each has a pool of its own, whose nodes only its own
pods can use.
"""

import json
import re
import subprocess
import sys

import httpx2
import pytest

from e2e.aws_controller_rig import (
    ALIVE,
    NUMBER,
    Installed,
    a_load,
    an_ec2_class,
    an_ec2_pool,
    tags_of,
)
from e2e.aws_manifests import HAND_MADE, PROVISIONER, TEMPLATE
from e2e.aws_rig import an_account
from e2e.controller_rig import count_running
from nodewright.journal.segments import list_segments
from nodewright.sandbox.accounts.roles import document

pytestmark = pytest.mark.e2e
STEPS = (
    "found provisionable pod(s)",
    "computed new nodeclaim(s) to fit pod(s)",
    "discovered kubernetes version",
    "discovered ami",
    "created launch template",
    "launched nodeclaim",
)


@pytest.fixture(scope="module")
def installed(programs, tmp_path_factory):
    """A cluster with two classes: one for most scenes, and one whose volumes nobody can open."""
    with an_account(programs, "eksctl", "controller") as account:
        made = Installed(account, tmp_path_factory.mktemp("controller"))
        key = account.client("kms").create_key()["KeyMetadata"]["Arn"]
        account.client("kms").disable_key(KeyId=key)
        volume = {"volumeSize": "20Gi", "volumeType": "gp3", "encrypted": True, "kmsKeyID": key}
        disks = [{"deviceName": "/dev/xvda", "ebs": volume}]
        account.create(an_ec2_class(made), an_ec2_class(made, "locked", blockDeviceMappings=disks))
        yield made


@pytest.fixture(scope="module")
def replica(installed):
    """The controller, for all scenes of this file; nothing that it asked for was forbidden.

    The bucket that it is told to copy its journal to is not there.
    """
    started = installed.replica("--journal-s3", str(installed.copies)).start()
    yield started
    started.stop()
    # One scene takes this right away.
    assert set(installed.refusals()) <= {"s3.PutObject"}
    assert [one for one in started.complaints() if not is_about_copies(one)] == []


@pytest.fixture(scope="module")
def first_load(installed, replica):
    """A load that came and went, with what was there while it ran."""
    account = installed.account
    account.wait_for("the class is ready", lambda: is_ready(account, "ec2nodeclass", "default"))
    account.create(an_ec2_pool("first"), a_load("first", 6))
    account.wait_for("the pods run", lambda: running(installed, "first") == 6)
    seen = installed.nodes(), machines_of(installed, "first", *ALIVE), installed.templates()
    account.kubectl("delete", "deployment", "first")
    return seen


def is_ready(account, kind, name):
    found = account.get(kind, name).get("status", {}).get("conditions", ())
    return any(one["type"] == "Ready" and one["status"] == "True" for one in found)


def is_about_copies(line):
    return line["message"].startswith("the journal is not copied to")


def running(installed, name):
    return count_running(installed.account, "default", name)


def claims_of(installed, pool):
    return installed.account.get("nodeclaims", "-l", f"karpenter.sh/nodepool={pool}")["items"]


def machines_of(installed, pool, *states):
    found = installed.instances(*states)
    return [one for one in found if tags_of(one).get("karpenter.sh/nodepool") == pool]


def scene(installed, name, replicas=1, **pool):
    """Have pods of a scene run on nodes of its own pool; give its machines."""
    installed.account.create(an_ec2_pool(name, **pool), a_load(name, replicas))
    installed.account.wait_for(f"pods of {name} run", lambda: running(installed, name) == replicas)
    return machines_of(installed, name, *ALIVE)


def end_scene(installed, name):
    """Ask for the end of a scene; nobody waits for it here."""
    installed.account.kubectl("delete", "deployment,nodepool", name, "--wait=false")


def convert(path):
    """Convert a manifest with the command, for the version of the sandbox; give what it prints."""
    command = [sys.executable, "-m", "nodewright", "convert", str(path)]
    done = subprocess.run(
        [*command, "--kubernetes-version", "1.34"], capture_output=True, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def types_asked_for(installed, pool):
    """Name the types of each fleet that was asked for on behalf of a pool, in order."""
    found = []
    for call in installed.calls("ec2.CreateFleet"):
        asked = call["params"]
        tags = {
            one["Key"]: one["Value"]
            for specification in asked["TagSpecifications"]
            for one in specification["Tags"]
        }
        if tags.get("karpenter.sh/nodepool") == pool and not asked.get("DryRun"):
            configs = asked["LaunchTemplateConfigs"]
            found.append({one["InstanceType"] for each in configs for one in each["Overrides"]})
    return found


def test_pods_get_nodes_and_the_log_tells_the_six_steps(replica, first_load):
    nodes, machines, templates = first_load
    told = [line["message"] for line in replica.lines()]
    firsts = [told.index(step) for step in STEPS]

    assert len(machines) == len(nodes) >= 1
    assert templates
    assert firsts == sorted(firsts)


def test_a_controller_killed_after_its_launch_finds_the_machine_again(
    installed, replica, first_load
):
    del first_load
    account = installed.account
    installed.tell("fault", name="ec2.CreateFleet", kind="late", delayMs=10_000)
    account.create(an_ec2_pool("orphaned"), a_load("orphaned", 1))
    account.wait_for("its machine starts", lambda: machines_of(installed, "orphaned"))
    replica.kill()
    installed.tell("clear-faults")
    [claim] = claims_of(installed, "orphaned")
    replica.start()
    account.wait_for("the pod runs", lambda: running(installed, "orphaned") == 1)
    [after] = claims_of(installed, "orphaned")
    machines = machines_of(installed, "orphaned")
    end_scene(installed, "orphaned")

    assert "providerID" not in claim.get("status", {})
    assert after["metadata"]["uid"] == claim["metadata"]["uid"]
    assert [one["InstanceId"] for one in machines] == [
        after["status"]["providerID"].rpartition("/")[2]
    ]


def test_what_is_sold_out_is_passed_over_and_not_asked_for_again(installed, replica, first_load):
    del first_load
    types = ("c5.large", "m5.large", "r5.large", "m5.xlarge")
    only = {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": list(types)}
    for name in types[:3]:
        installed.tell("depth", pattern=f"{name}/*/on-demand", depth=0)
    pool = an_ec2_pool("sold-out", capacity=["on-demand"])
    pool["spec"]["template"]["spec"]["requirements"].append(only)
    installed.account.create(pool, a_load("sold-out", 1))
    installed.account.wait_for("the pod runs", lambda: running(installed, "sold-out") == 1)
    [machine] = machines_of(installed, "sold-out", *ALIVE)
    installed.account.kubectl("scale", "deployment", "sold-out", "--replicas=5")
    installed.account.wait_for("all run", lambda: running(installed, "sold-out") == 5)
    asked = types_asked_for(installed, "sold-out")
    end_scene(installed, "sold-out")

    assert machine["InstanceType"] == "m5.xlarge"
    assert asked[0] == set(types)
    assert all(one == {"m5.xlarge"} for one in asked[1:])
    assert len(asked) > 1
    failures = "karpenter_cloudprovider_instance_launch_failures_total"
    counted = re.findall(rf"^{failures}{{(.*)}} \d", replica.metrics(), re.MULTILINE)
    place = rf'capacity_type="on-demand",.*zone="{installed.region}\w",zone_id="\w+-az\d"'
    assert counted
    assert all(re.search(place, one) for one in counted)


@pytest.mark.usefixtures("first_load")
def test_half_of_all_calls_throttled_is_only_slower(installed):
    installed.tell("fault", name="ec2.*", kind="throttle", every=2)
    account = installed.account
    try:
        account.create(an_ec2_pool("throttled"), a_load("throttled", 2))
        account.wait_for("the pods run", lambda: running(installed, "throttled") == 2)
    finally:
        installed.tell("clear-faults")
    machines = machines_of(installed, "throttled", *ALIVE)
    throttled = [one for one in installed.calls() if one["error"] == "RequestLimitExceeded"]
    end_scene(installed, "throttled")

    assert len(machines) == 1
    assert throttled


@pytest.mark.usefixtures("first_load")
def test_a_spot_machine_that_is_taken_back_is_replaced_at_once(installed):
    account = installed.account
    [machine] = scene(installed, "taken", capacity=["spot"])
    [before] = claims_of(installed, "taken")
    installed.tell("happen", what="interrupt", instanceId=machine["InstanceId"])

    def has_gone():
        uid = before["metadata"]["uid"]
        found = [one["metadata"] for one in claims_of(installed, "taken")]
        return uid not in [one["uid"] for one in found if "deletionTimestamp" not in one]

    def others():
        found = machines_of(installed, "taken", *ALIVE)
        return [one for one in found if one["InstanceId"] != machine["InstanceId"]]

    account.wait_for("its claim goes", has_gone)
    account.wait_for("another machine comes", others)
    account.wait_for("the pod runs there", lambda: running(installed, "taken") == 1)
    account.wait_for("the message is dealt with", lambda: installed.message_count() == 0)
    end_scene(installed, "taken")

    assert machine["InstanceLifecycle"] == "spot"


@pytest.mark.usefixtures("first_load")
def test_a_key_that_ends_machines_at_once_is_named_on_the_claim(installed):
    account = installed.account
    account.wait_for("the class is ready", lambda: is_ready(account, "ec2nodeclass", "locked"))
    account.create(an_ec2_pool("locked", "locked"), a_load("locked", 1))

    def registered():
        for claim in claims_of(installed, "locked"):
            for one in claim.get("status", {}).get("conditions", ()):
                if one["type"] == "Registered" and one["status"] == "False":
                    return one
        return None

    def told():
        found = account.get("events", "-A", "--field-selector", "reason=InstanceTerminated")
        return [one for one in found["items"] if "InvalidKMSKey" in one.get("message", "")]

    found = account.wait_for("the claim says so", registered)
    account.wait_for("so does an Event", told)
    end_scene(installed, "locked")

    assert found["reason"] == "InstanceTerminated"
    assert "Client.InvalidKMSKey.InvalidState" in found["message"]


@pytest.mark.usefixtures("first_load")
def test_an_edit_of_a_class_renews_its_nodes(installed):
    account = installed.account
    account.create(an_ec2_class(installed, "edited"))
    account.wait_for("the class is ready", lambda: is_ready(account, "ec2nodeclass", "edited"))
    account.create(an_ec2_pool("edited", "edited"), a_load("edited", 1))
    account.wait_for("the pod runs", lambda: running(installed, "edited") == 1)
    [old] = machines_of(installed, "edited", *ALIVE)
    change = '{"spec": {"tags": {"edition": "second"}}}'
    account.kubectl("patch", "ec2nodeclass", "edited", "--type=merge", "-p", change)

    def drifted():
        # A node may be on its way before its claim was looked over for the first condition.
        for claim in claims_of(installed, "edited"):
            for one in claim.get("status", {}).get("conditions", ()):
                if one["type"] in ("Drifted", "DisruptionReason") and one["status"] == "True":
                    return one["reason"]
        return None

    def named():
        alive = machines_of(installed, "edited", *ALIVE)
        tags = [tags_of(one) for one in alive if one["InstanceId"] != old["InstanceId"]]
        return len(alive) == 1 and [one for one in tags if "Name" in one]

    reason = account.wait_for("the claim says why", drifted)
    [new] = account.wait_for("only a machine of the new edition is left, with its name", named)
    nodes = {one["metadata"]["name"] for one in installed.nodes()}
    end_scene(installed, "edited")

    assert reason in ("NodeClassDrift", "Drifted")
    assert new["edition"] == "second"
    assert new["Name"] in nodes


def a_key_for_volumes(account):
    """Make a key that EC2 may use for whoever starts machines in the account."""
    statement = {
        "Effect": "Allow",
        "Principal": {"AWS": "*"},
        "Action": ["kms:DescribeKey", "kms:GenerateDataKey*", "kms:Decrypt", "kms:CreateGrant"],
        "Resource": "*",
        "Condition": {"StringEquals": {"kms:CallerAccount": NUMBER}},
    }
    kms = account.client("kms")
    return kms.create_key(Policy=document(statement))["KeyMetadata"]["Arn"]


@pytest.mark.usefixtures("first_load")
def test_what_a_guide_of_old_shows_is_converted_and_launches_what_it_says(installed, tmp_path):
    account = installed.account
    facts = {"cluster": installed.name, "region": installed.region, "profile": installed.profile}
    facts["key"] = a_key_for_volumes(account)
    written = tmp_path / "lecture.yaml"
    written.write_text(f"{TEMPLATE.format(**facts)}---\n{PROVISIONER.format(**facts)}")
    account.kubectl("apply", "-f", "-", stdin=convert(written))
    account.wait_for("the pool is ready", lambda: is_ready(account, "nodepool", "lecture"))
    account.create(a_load("lecture", 1))
    account.wait_for("the pod runs", lambda: running(installed, "lecture") == 1)
    [machine] = machines_of(installed, "lecture", *ALIVE)
    pool = account.get("nodepool", "lecture")["spec"]
    account.kubectl("delete", "deployment,nodepool,ec2nodeclass", "lecture", "--wait=false")
    [disk] = account.client("ec2").describe_volumes(
        Filters=[{"Name": "attachment.instance-id", "Values": [machine["InstanceId"]]}]
    )["Volumes"]

    assert re.match(r"[cmrt][4-9]", machine["InstanceType"])
    assert machine["Placement"]["AvailabilityZone"][-1] in "ac"
    assert machine["Monitoring"]["State"] == "enabled"
    assert machine["IamInstanceProfile"]["Arn"].endswith(f"/{installed.profile}")
    assert tags_of(machine)["Name"] == f"{installed.name}/lecture"
    assert (disk["Size"], disk["VolumeType"], disk["KmsKeyId"]) == (35, "gp3", facts["key"])
    assert pool["template"]["spec"]["expireAfter"] == "2592000s"
    assert pool["disruption"]["consolidationPolicy"] == "WhenEmpty"
    assert pool["disruption"]["consolidateAfter"] == "60s"


@pytest.mark.usefixtures("first_load")
def test_old_objects_that_are_applied_as_they_are_make_nodes(installed):
    account = installed.account
    text = HAND_MADE.format(cluster=installed.name, region=installed.region)
    account.kubectl("apply", "-f", "-", stdin=text.encode())
    account.wait_for("it is ready", lambda: is_ready(account, "provisioner", "hand-made"))
    account.create(a_load("hand-made", 1))
    account.wait_for("the pod runs", lambda: running(installed, "hand-made") == 1)
    [machine] = machines_of(installed, "hand-made", *ALIVE)
    status = account.get("awsnodetemplate", "hand-made")["status"]
    account.kubectl(
        "delete", "deployment,provisioner,awsnodetemplate", "hand-made", "--wait=false"
    )  # fmt: skip
    conditions = {one["type"]: one["status"] for one in status["conditions"]}

    assert re.match(r"[ctm][0-9]", machine["InstanceType"])
    assert "InstanceLifecycle" not in machine
    assert machine["IamInstanceProfile"]["Arn"].endswith(f"/{installed.profile}")
    assert (conditions["Ready"], conditions["Deprecated"]) == ("True", "True")
    assert status["subnets"]
    assert status["securityGroups"]
    assert status["amis"]


def checkup_of(account, kind):
    """Give the state of a checkup and its reason, as it is written on a pool or a class."""
    found = account.get(kind, "unchecked").get("status", {}).get("conditions", ())
    told = [(one["status"], one["reason"]) for one in found if one["type"] == "CheckupSucceeded"]
    return told[0] if told else None


def findings_of(replica):
    """Give the rows of the metric that tells what checkups have found."""
    [*_, port] = [one["metrics"] for one in replica.lines() if one["message"] == "listening"]
    page = httpx2.get(f"http://127.0.0.1:{port}/metrics", timeout=30, trust_env=False).text
    rows = [line for line in page.splitlines() if line.startswith("nodewright_checkup_findings{")]
    return {tuple(re.findall(r'="([^"]*)"', line)) for line in rows}


@pytest.mark.usefixtures("first_load")
def test_what_a_checkup_finds_is_a_condition_and_a_metric_until_it_is_mended(installed, replica):
    account = installed.account
    pool = an_ec2_pool("unchecked", "unchecked")
    requirements = pool["spec"]["template"]["spec"]["requirements"]
    wrong = {"key": "efa", "operator": "In", "values": ["true"]}
    broken = {"spec": {"template": {"spec": {"requirements": [*requirements, wrong]}}}}
    mended = {"spec": {"template": {"spec": {"requirements": requirements}}}}
    account.create(an_ec2_class(installed, "unchecked", tags={"team": "${TEAM}"}), pool)
    patch = ("patch", "nodepool", "unchecked", "--type=merge", "-p")
    account.kubectl(*patch, json.dumps(broken))
    rows = {("NW-3017", "nodepool", "unchecked"), ("NW-3003", "ec2nodeclass", "unchecked")}

    account.wait_for("the pool says so", lambda: checkup_of(account, "nodepool"))
    account.wait_for("so does the class", lambda: checkup_of(account, "ec2nodeclass"))
    told = checkup_of(account, "nodepool"), checkup_of(account, "ec2nodeclass")
    account.wait_for("so does the metric", lambda: rows <= findings_of(replica))
    account.kubectl(*patch, json.dumps(mended))
    right = json.dumps({"spec": {"tags": {"team": "shop"}}})
    account.kubectl("patch", "ec2nodeclass", "unchecked", "--type=merge", "-p", right)
    for kind in ("nodepool", "ec2nodeclass"):
        account.wait_for(
            f"the {kind} is well", lambda one=kind: checkup_of(account, one)[0] == "True"
        )
    account.wait_for("the metric is gone", lambda: not rows & findings_of(replica))
    account.kubectl("delete", "nodepool,ec2nodeclass", "unchecked", "--wait=false")

    assert told == (("False", "NW3017"), ("False", "NW3003"))


@pytest.mark.usefixtures("first_load")
def test_nothing_that_was_made_outlives_its_load(installed):
    account = installed.account
    account.wait_for("machines are gone", lambda: not installed.instances(*ALIVE))
    account.kubectl("delete", "nodepools,ec2nodeclasses", "--all", "--timeout=90s")

    account.wait_for("claims are gone", lambda: not account.get("nodeclaims")["items"])
    assert account.get("nodes", "-l", "karpenter.sh/nodepool")["items"] == []
    # Those of a template of old go by themselves, since nothing holds the template back.
    assert {one for _, one in installed.templates()} <= {"hand-made"}
    assert installed.profiles() == []


@pytest.mark.soak
@pytest.mark.usefixtures("first_load")
def test_launch_templates_that_nobody_needs_go_by_themselves(installed):
    account = installed.account
    account.wait_for("they are gone", lambda: installed.templates() == [], limit_s=300)


def is_copied(installed, status):
    """Give the condition of the copies, once it is as it should be."""
    found = installed.condition("JournalCopied")
    return found if found and found["status"] == status else None


def nodewright(*arguments):
    """Run a command as somebody at a terminal would, and give what it prints."""
    command = [sys.executable, "-m", "nodewright", *arguments]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_journal_without_its_bucket_stays_on_disk_until_there_is_one(
    installed, replica, first_load, tmp_path
):
    del first_load
    if len(list_segments(installed.journal())) < 2:
        # One that was killed leaves its last file to the process that comes after it.
        replica.kill()
        replica.start()
    account, lost = installed.account, "NoSuchBucket: The specified bucket does not exist"
    condition = account.wait_for("the status says so", lambda: is_copied(installed, "False"))
    told = [one for one in replica.complaints() if is_about_copies(one)]
    installed.make_bucket()
    status = replica.stop()
    account.aws("s3", "sync", str(installed.copies), str(tmp_path), "--only-show-errors")
    decided = json.loads(nodewright("decisions", "--journal", str(tmp_path), "-o", "json"))
    launch = next(one["id"] for one in decided if one["kind"] == "Launch")
    again = nodewright("replay", launch, "--journal", str(tmp_path))

    assert condition["message"] == f"the journal is not copied to {installed.copies}: {lost}"
    assert [lost in one["message"] for one in told] == [True]
    assert status == 0
    assert replica.has_said(f"the journal is copied to {installed.copies} again")
    assert [one.stat().st_size for one in list_segments(tmp_path)] == [
        one.stat().st_size for one in list_segments(installed.journal())
    ]
    assert b"same" in again


@pytest.mark.soak
def test_a_right_that_is_taken_away_is_told_until_it_is_given_back(installed, replica):
    account = installed.account
    installed.tell("fault", name="s3.PutObject", kind="deny")
    replica.start()
    account.create(an_ec2_class(installed, "denied"), an_ec2_pool("denied", "denied"))
    account.create(a_load("denied", 1))
    account.wait_for("the pod runs", lambda: running(installed, "denied") == 1)
    stopped = replica.stop()
    replica.start()
    account.kubectl("scale", "deployment", "denied", "--replicas=9")
    account.wait_for("all pods run", lambda: running(installed, "denied") == 9)
    condition = account.wait_for("the status says so", lambda: is_copied(installed, "False"))
    installed.tell("clear-faults")
    account.wait_for("it is copied again", lambda: is_copied(installed, "True"))
    account.kubectl("delete", "deployment,nodepool", "denied", "--wait=false")
    listed = account.client("s3").list_objects_v2(Bucket=installed.copies.bucket)["Contents"]

    assert stopped == 0
    assert "AccessDenied" in condition["message"]
    # What is still being written has no copy yet.
    assert len(listed) == len(list_segments(installed.journal())) - 1
