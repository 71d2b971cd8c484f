"""`nodewright install` and `uninstall` on a ready-made account, with a table for a cluster."""

import json

import pytest
import yaml

from builders.found import a_cluster, a_group, an_account
from builders.installs import a_site, changed
from nodewright.app import installing
from nodewright.cli.main import run
from nodewright.install.found import Found
from nodewright.sandbox.aws.faults import Switch

OPEN = installing._open


@pytest.fixture(scope="module")
def site():
    with a_site() as made:
        yield made


@pytest.fixture(autouse=True)
def account(site, monkeypatch):
    """Let the command find the account and the table."""
    monkeypatch.setattr(installing, "_open", site.opened)
    for name, value in site.standin.server.environment().items():
        monkeypatch.setenv(name, value)


def install(*arguments):
    return run(["install", "--cluster", "shop", "--no-smoke-test", *arguments])


def test_a_plan_is_shown_and_nothing_is_done_where_nobody_can_be_asked(site, capsys):
    before = site.state()
    assert install() == 1

    said = capsys.readouterr()
    assert "found   EKS 1.34 us-west-2 · pod identity agent off · 1 node group" in said.out
    assert "  + sqs queue         shop " in said.out
    assert "23 to create, 2 to change, 0 to remove · no workload restarts · plan " in said.out
    assert "note    coredns, metrics-server may move to nodes that Nodewright makes" in said.out
    assert "nobody is there to be asked; --yes applies the plan" in said.err
    assert changed(before, site.state()) == []


def test_a_saved_plan_is_applied_and_the_second_run_has_nothing_to_do(site, tmp_path, capsys):
    before, path = site.state(), tmp_path / "plan.json"
    assert install("--plan-out", str(path)) == 0
    assert changed(before, site.state()) == []

    assert run(["install", "--plan", str(path), "--yes", "--no-smoke-test"]) == 0
    assert "/25  + iam role NodewrightControllerRole-shop" in capsys.readouterr().err

    assert install() == 0
    said = capsys.readouterr().out
    assert "nothing to do: everything is as it should be" in said
    assert not [line for line in said.splitlines()[2:] if line.startswith(("  +", "  ~", "  -"))]

    assert run(["uninstall", "--cluster", "shop", "--yes"]) == 0
    assert changed(before, site.state()) == []


def test_what_the_cluster_does_not_allow_is_named_and_nothing_is_touched(site, capsys):
    before = site.state()
    site.table.denied = {("create", "pods"), ("patch", "deployments.apps")}
    assert run(["install", "--cluster", "shop", "--yes"]) == 2
    said = capsys.readouterr().err
    assert "error[NW-9710]: you may not create pods in namespace nodewright" in said
    assert '{"apiGroups":["apps"],"resources":["deployments"],"verbs":["patch"]}' in said

    site.table.denied.remove(("patch", "deployments.apps"))
    assert changed(before, site.state()) == []
    # Who does not ask for the smoke test needs no right for its pod.
    assert install("--yes") == 0
    between = site.state()
    site.table.denied = {("delete", "namespaces")}
    assert run(["uninstall", "--cluster", "shop", "--yes"]) == 2
    assert "you may not delete namespaces on the cluster" in capsys.readouterr().err
    assert changed(between, site.state()) == []

    site.table.denied = set()
    assert run(["uninstall", "--cluster", "shop", "--yes"]) == 0
    assert changed(before, site.state()) == []


def test_a_plan_to_uninstall_is_not_installed(site, tmp_path, capsys):
    path = tmp_path / "plan.json"
    assert run(["uninstall", "--cluster", "shop", "--plan-out", str(path)]) == 0

    assert run(["install", "--plan", str(path), "--yes"]) == 2
    assert "this is a plan to uninstall" in capsys.readouterr().err


def test_no_cluster_is_guessed(capsys):
    assert run(["install"]) == 2
    assert "nobody says which cluster is meant" in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["install", "uninstall"])
def test_an_unknown_cluster_is_one_sentence(verb, capsys):
    assert run([verb, "--cluster", "shopp"]) == 2

    said = capsys.readouterr().err
    assert "error[NW-9714]: there is no cluster shopp in us-west-2" in said
    assert "help: did you mean shop?" in said


def test_a_name_that_cannot_be_is_refused_before_anybody_is_asked(site, capsys):
    site.standin.account.calls.clear()
    assert run(["install", "--cluster", "a" * 101]) == 2

    assert "cannot be the name of an EKS cluster" in capsys.readouterr().err
    assert site.standin.account.calls.named("") == ()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--cluster", "shop", "--image", ":x"], "':x' cannot be an image"),
        (["--cluster", "shop", "--replicas", "0"], "0 controllers would do nothing"),
        (["--cluster", "shop", "--node-role", "path/role"], "cannot be the name of a role"),
        (["--cluster", "shop", "--node-role", "nobody"], "there is no role nobody"),
        (["--cluster", "shop", "--security-groups", "sg-1"], "there is no security group sg-1"),
        (["--cluster", "shop", "--move-group", "main"], "nobody would make nodes for the pods"),
        (["--cluster", "shop", "--identity", "magic"], 'Invalid value "magic"'),
        (["--plan", "nowhere.json"], "nowhere.json cannot be used"),
    ],
)
def test_what_cannot_be_is_one_sentence(arguments, said, capsys):
    assert run(["install", *arguments]) == 2

    told = capsys.readouterr().err
    assert said in told
    assert "Traceback" not in told


def test_a_region_that_cannot_be_is_refused_and_another_is_taken(monkeypatch, capsys):
    monkeypatch.setattr(installing, "_open", OPEN)
    assert run(["install", "--cluster", "shop", "--region", "moon"]) == 2
    assert "'moon' cannot be a region of AWS" in capsys.readouterr().err

    assert run(["install", "--cluster", "shop", "--print", "policy", "--region", "eu-west-1"]) == 0
    assert "arn:aws:sqs:eu-west-1:123456789012:shop" in capsys.readouterr().out


def test_a_cluster_of_another_region_is_not_found_there(monkeypatch, tmp_path, capsys):
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}],
        "users": [{"name": "u", "user": {"token": "t"}}],
    }
    path = tmp_path / "kubeconfig"
    path.write_text(yaml.safe_dump(config))
    monkeypatch.setenv("KUBECONFIG", str(path))
    monkeypatch.setattr(installing, "_open", OPEN)
    assert run(["install", "--cluster", "shop", "--region", "eu-west-1"]) == 2

    said = capsys.readouterr().err
    assert "error[NW-9714]: there is no cluster shop in eu-west-1" in said
    assert "is it another --region or --profile?" in said


def test_a_failure_in_the_middle_says_the_command_that_goes_on(site, capsys):
    before = site.state()
    site.standin.account.faults.set("sqs.CreateQueue", Switch("error", code="Odd", status=400))
    assert install("--yes", "--pin-system") == 2
    site.standin.account.faults.clear()

    said = capsys.readouterr().err
    assert "not done: sqs queue shop, event rule NodewrightScheduledChange-shop, " in said
    assert "to go on: nodewright install --cluster shop --pin-system\n" in said
    assert "error[NW-9712]: stopped at sqs queue shop: sqs.CreateQueue failed: Odd" in said
    assert run(["uninstall", "--cluster", "shop", "--yes"]) == 0
    assert changed(before, site.state()) == []


def test_nobody_to_be_asked_about_is_said_for_a_person(monkeypatch, capsys):
    monkeypatch.setattr(installing, "_open", OPEN)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    for name in ("AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"):
        monkeypatch.setenv(name, "/dev/null")
    assert run(["install", "--cluster", "shop"]) == 2

    said = capsys.readouterr().err
    assert "nobody says with which credentials AWS is to be asked" in said
    assert "help: sign in (`aws sso login`), or choose a --profile" in said


@pytest.mark.parametrize("verb", ["install", "uninstall"])
def test_credentials_that_have_expired_are_one_sentence(verb, site, capsys):
    expired = Switch("error", code="ExpiredToken", status=403)
    site.standin.account.faults.set("sts.GetCallerIdentity", expired)
    try:
        assert run([verb, "--cluster", "shop"]) == 2
    finally:
        site.standin.account.faults.clear()

    said = capsys.readouterr().err
    assert "error[NW-9713]: the credentials for AWS have expired" in said
    assert "aws sso login" in said


def test_a_kubeconfig_of_another_cluster_is_one_sentence(site, monkeypatch, capsys):
    monkeypatch.setattr(site.table, "server", "https://other:6443")
    monkeypatch.setattr(site.table, "authority", "T1RIRVI=")
    before = site.state()
    assert run(["install", "--cluster", "shop", "--yes"]) == 2

    said = capsys.readouterr().err
    assert "error[NW-9717]: the kubeconfig leads to https://other:6443, and EKS has cluster" in said
    assert changed(before, site.state()) == []


def test_the_same_plan_is_written_for_other_tools(capsys):
    assert install("--print", "helm-values") == 0
    values = yaml.safe_load(capsys.readouterr().out)
    assert values["settings"] == {"clusterName": "shop", "interruptionQueue": "shop"}
    assert values["nodeGroups"] == ["main"]

    assert install("--print", "manifests") == 0
    kinds = {one["kind"] for one in yaml.safe_load_all(capsys.readouterr().out)}
    assert {"Deployment", "NodePool", "EC2NodeClass", "ClusterRole"} <= kinds

    assert install("--print", "cli") == 0
    assert "aws sqs create-queue --cli-input-json" in capsys.readouterr().out

    assert install("--print", "policy") == 0
    document = json.loads(capsys.readouterr().out)
    assert "arn:aws:sqs:us-west-2:123456789012:shop" in str(document)


def test_programs_read_the_plan_as_json(capsys):
    assert install("-o", "json") == 1

    plan = json.loads(capsys.readouterr().out)
    assert plan["verb"] == "install"
    assert plan["steps"][0]["deeds"][0]["do"] == "apply"


@pytest.fixture
def answers(monkeypatch):
    """Let somebody sit before the screen, with these answers ready; give what they were asked."""
    ready, asked = [], []

    def answer(question):
        asked.append(question)
        return ready.pop(0)

    def prepare(*words):
        ready.extend(words)
        return asked

    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("builtins.input", answer)
    return prepare


@pytest.fixture
def scaler(site):
    """The path of a Cluster Autoscaler that runs on the cluster."""
    path = "/apis/apps/v1/namespaces/kube-system/deployments/cluster-autoscaler"
    meta = {"namespace": "kube-system", "name": "cluster-autoscaler"}
    pod = {"containers": [{"image": "cluster-autoscaler:v1.34.0"}]}
    spec = {"replicas": 1, "template": {"spec": pod}}
    site.table.objects[path] = {"metadata": meta, "spec": spec}
    yield path
    del site.table.objects[path]


@pytest.mark.usefixtures("scaler")
def test_a_person_is_asked_and_asked_again_before_another_autoscaler_stops(site, answers, capsys):
    before = site.state()
    asked = answers("n", "y", "n")

    assert install() == 1
    assert install() == 1
    assert changed(before, site.state()) == []
    assert "--no-take-over installs beside it" in capsys.readouterr().err
    assert asked[0] == "Apply? [y/N]     undo: nodewright uninstall --cluster shop\n"
    assert asked[2] == "And kube-system/cluster-autoscaler: replicas 1 → 0, last step? [y/N] "


@pytest.mark.soak
def test_a_person_who_agrees_has_it_done_and_undone(site, answers, scaler):
    before = site.state()
    answers("y", "yes", "y")

    assert install() == 0
    assert site.table.objects[scaler]["spec"]["replicas"] == 0
    assert run(["uninstall", "--cluster", "shop"]) == 0
    assert changed(before, site.state()) == []


def test_a_person_chooses_where_node_groups_have_different_security_groups(
    answers, monkeypatch, tmp_path, capsys
):
    found = Found(
        an_account(a_cluster(node_groups=(a_group("a"), a_group("b", groups=("sg-other",)))))
    )
    asked = answers("2", "3")

    def plan(self, verb, wish):
        return installing.Planned(installing.make_plan(verb, found, wish), found)

    monkeypatch.setattr(installing.Installer, "plan", plan)
    assert install("-o", "json", "--plan-out", str(tmp_path / "plan.json")) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["wish"]["securityGroups"] == ["sg-other"]
    assert "  1  as node group a: sg-cluster\n  2  as node group b: sg-other\n" in said.err
    assert asked == ["number: "]

    assert install() == 2
    assert "'3' is none of 1 to 2" in capsys.readouterr().err
