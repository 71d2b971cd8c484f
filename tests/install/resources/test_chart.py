import pytest

from nodewright.install.resources.chart import render_chart
from nodewright.install.resources.values import Release
from nodewright.model.errors import UserError

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def one(objects, kind, name="nodewright"):
    (found,) = [
        each for each in objects if each["kind"] == kind and each["metadata"]["name"] == name
    ]
    return found


def pod_of(objects):
    return one(objects, "Deployment")["spec"]["template"]["spec"]


def variables(objects):
    (controller,) = pod_of(objects)["containers"]
    return {each["name"]: each.get("value") for each in controller["env"]}


def test_an_account_comes_before_its_role_and_the_deployment_after_both():
    kinds = [each["kind"] for each in render_chart({})]

    assert kinds.index("ServiceAccount") < kinds.index("ClusterRole") < kinds.index("Deployment")
    assert len(kinds) == len(render_chart({"settings": {"clusterName": "c"}}))


def test_the_controller_never_runs_on_its_own_nodes_and_only_on_the_named_groups():
    pod = pod_of(render_chart({"nodeGroups": ["system"]}))

    (term,) = pod["affinity"]["nodeAffinity"][REQUIRED]["nodeSelectorTerms"]
    assert term["matchExpressions"] == [
        {"key": "karpenter.sh/nodepool", "operator": "DoesNotExist"},
        {"key": "eks.amazonaws.com/nodegroup", "operator": "In", "values": ["system"]},
    ]


def test_its_replicas_keep_apart_from_each_other():
    pod = pod_of(render_chart({}))
    own = {
        "matchLabels": {
            "app.kubernetes.io/name": "nodewright",
            "app.kubernetes.io/instance": "nodewright",
        }
    }

    assert pod["affinity"]["podAntiAffinity"][REQUIRED] == [
        {"topologyKey": "kubernetes.io/hostname", "labelSelector": own}
    ]
    assert pod["topologySpreadConstraints"][0]["labelSelector"] == own


def test_settings_become_variables_and_what_is_not_said_is_left_out():
    told = variables(
        render_chart(
            {
                "settings": {
                    "clusterName": "prod",
                    "isolatedVPC": True,
                    "interruptionQueue": "q",
                    "journalS3": "s3://logs/prod",
                }
            }
        )
    )

    assert told["CLUSTER_NAME"] == "prod"
    assert told["ISOLATED_VPC"] == "true"
    assert told["INTERRUPTION_QUEUE"] == "q"
    assert told["JOURNAL_S3"] == "s3://logs/prod"
    assert told["FEATURE_GATES"].startswith("CapacityBuffer=true,NodeOverlay=true,NodeRepair=false")
    assert told["AWS_FEATURE_GATES"] == "NodeClassCEL=false"
    assert not {"CLUSTER_ENDPOINT", "EKS_CONTROL_PLANE", "DRY_RUN"} & told.keys()


def test_what_plays_machines_may_make_nodes():
    played = one(render_chart({"settings": {"cloud": "kwok"}}), "ClusterRole")["rules"]
    real = one(render_chart({}), "ClusterRole")["rules"]

    assert len(played) > len(real)


def test_objects_of_the_whole_cluster_have_no_namespace():
    for each in render_chart({}, Release("nodewright", "there")):
        wide = each["kind"] in ("ClusterRole", "ClusterRoleBinding", "FlowSchema")
        assert each["metadata"].get("namespace") == (None if wide else "there")


def test_a_digest_beats_a_tag():
    image = {"repository": "r", "tag": "t", "digest": "sha256:" + "0" * 64}
    pod = pod_of(render_chart({"controller": {"image": image}}))

    assert pod["containers"][0]["image"] == f"r@{image['digest']}"


def test_the_dashboard_is_shown_to_nobody_unless_that_is_asked_for():
    objects = render_chart({})

    assert [each["metadata"]["name"] for each in objects if each["kind"] == "Service"] == [
        "nodewright"
    ]
    assert not any(name.startswith("DASHBOARD") for name in variables(objects))
    assert "tokenreviews" not in str(one(objects, "ClusterRole"))


def test_a_dashboard_for_others_asks_the_cluster_who_they_are():
    objects = render_chart({"web": {"enabled": True}, "networkPolicy": {"enabled": True}})

    assert variables(objects)["DASHBOARD_AUTH"] == "kubernetes"
    assert one(objects, "Service", "nodewright-web")["spec"]["ports"][0]["port"] == 80
    assert "tokenreviews" in str(one(objects, "ClusterRole"))
    looking = one(objects, "ClusterRole", "nodewright-dashboard")
    assert looking["rules"] == [{"nonResourceURLs": ["/nodewright/dashboard"], "verbs": ["get"]}]
    ports = [each["ports"] for each in one(objects, "NetworkPolicy")["spec"]["ingress"]]
    assert ports[-1] == [{"port": "http-web", "protocol": "TCP"}]


def test_a_token_of_ones_own_comes_from_a_secret_that_must_be_named():
    with pytest.raises(UserError, match=r"web\.tokenSecret\.name"):
        render_chart({"web": {"enabled": True, "auth": "token"}})
    wanted = {"web": {"enabled": True, "auth": "token", "tokenSecret": {"name": "look"}}}
    (controller,) = pod_of(render_chart(wanted))["containers"]

    [variable] = [each for each in controller["env"] if each["name"] == "DASHBOARD_TOKEN"]
    assert variable["valueFrom"] == {"secretKeyRef": {"name": "look", "key": "token"}}
