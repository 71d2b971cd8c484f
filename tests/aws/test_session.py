"""Who we are to AWS, and where."""

import base64
import http.server
import json
import threading

import pytest

from nodewright.aws.session import Access, Clients
from nodewright.model.errors import UserError


@pytest.fixture(autouse=True)
def bare(monkeypatch, tmp_path):
    """An environment that says nothing of AWS."""
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))


class Machine(http.server.BaseHTTPRequestHandler):
    """What a machine of EC2 and the agent of Pod Identity answer on their own addresses."""

    answers = {
        "/latest/api/token": "token",
        "/latest/meta-data/placement/availability-zone/": "us-gov-west-1b",
        "/v1/credentials": json.dumps(
            {
                "AccessKeyId": "ASIAPOD",
                "SecretAccessKey": "secret",
                "Token": "token",
                "Expiration": "2999-01-01T00:00:00Z",
            }
        ),
    }

    def do_GET(self):
        is_pod = self.path == "/v1/credentials"
        if is_pod and self.headers["Authorization"] != "pod-token":
            self.send_error(401)
            return
        body = self.answers[self.path].encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_PUT(self):
        self.do_GET()

    def log_message(self, *_words):
        """Say nothing."""


@pytest.fixture
def machine():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Machine)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_the_machine_itself_names_the_region_where_nothing_else_does(monkeypatch, machine):
    monkeypatch.delenv("AWS_EC2_METADATA_DISABLED")
    monkeypatch.setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", machine)

    assert Clients(Access()).region == "us-gov-west-1"


def test_a_pod_identity_gives_credentials(monkeypatch, machine, tmp_path):
    token = tmp_path / "token"
    token.write_text("pod-token")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", f"{machine}/v1/credentials")
    monkeypatch.setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", str(token))
    clients = Clients(Access(region="us-west-2"))
    clients.check_credentials()

    assert clients.client("ec2")._get_credentials().access_key == "ASIAPOD"


def test_a_web_identity_gives_credentials(monkeypatch, standin, tmp_path):
    issuer = "oidc.eks.us-west-2.amazonaws.com/id/SESSION"
    iam = standin.client("iam")
    provider = iam.create_open_id_connect_provider(
        Url=f"https://{issuer}", ClientIDList=["sts.amazonaws.com"], ThumbprintList=["0" * 40]
    )["OpenIDConnectProviderArn"]
    trust = {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Federated": provider},
                "Action": "sts:AssumeRoleWithWebIdentity",
            }
        ],
    }
    role = iam.create_role(RoleName="irsa", AssumeRolePolicyDocument=json.dumps(trust))["Role"]
    said = {"iss": f"https://{issuer}", "aud": ["sts.amazonaws.com"], "sub": "system:pod"}
    body = base64.urlsafe_b64encode(json.dumps(said).encode()).decode().rstrip("=")
    (tmp_path / "token").write_text(f"e30.{body}.sig")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_ENDPOINT_URL", standin.server.url)
    monkeypatch.setenv("AWS_ROLE_ARN", role["Arn"])
    monkeypatch.setenv("AWS_ROLE_SESSION_NAME", "controller")
    monkeypatch.setenv("AWS_WEB_IDENTITY_TOKEN_FILE", str(tmp_path / "token"))
    clients = Clients(Access(region=standin.account.region))

    who = clients.client("sts").get_caller_identity()["Arn"]
    assert who.endswith(":assumed-role/irsa/controller")


def test_every_client_has_a_time_out_and_leaves_retries_to_us():
    clients = Clients(Access(region="us-west-2", keys=("a", "b")))
    for service in ("ec2", "iam", "ssm", "sqs", "eks", "pricing"):
        config = clients.client(service).meta.config

        assert config.connect_timeout == 5
        assert 0 < config.read_timeout <= 60
        assert config.retries["total_max_attempts"] == 1


def test_without_a_region_the_user_is_told_what_to_set():
    with pytest.raises(UserError) as refused:
        Clients(Access())

    assert refused.value.code == "NW-3111"
    assert "AWS_REGION" in refused.value.advice


def test_the_environment_names_the_region(monkeypatch):
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")

    assert Clients(Access()).region == "eu-west-1"
    assert Clients(Access(region="cn-north-1")).region == "cn-north-1"


@pytest.mark.parametrize("data", ["", "somewhere"])
def test_an_unknown_profile_is_one_sentence(monkeypatch, data):
    monkeypatch.setenv("AWS_DATA_PATH", data)
    with pytest.raises(UserError, match="nobody"):
        Clients(Access(region="us-west-2", profile="nobody"))


def test_prices_are_asked_where_they_are_known():
    clients = Clients(Access(region="ap-northeast-2", keys=("a", "b")))

    assert clients.client("pricing").meta.region_name == "ap-south-1"
    assert clients.client("ec2").meta.region_name == "ap-northeast-2"
    assert clients.client("ec2") is clients.client("ec2")


@pytest.mark.parametrize(
    ("region", "endpoint"),
    [
        ("eu-west-1", "https://ec2.eu-west-1.amazonaws.com"),
        ("cn-north-1", "https://ec2.cn-north-1.amazonaws.com.cn"),
        ("us-gov-west-1", "https://ec2.us-gov-west-1.amazonaws.com"),
    ],
)
def test_endpoints_follow_the_partition(region, endpoint):
    clients = Clients(Access(region=region, keys=("a", "b")))

    assert clients.client("ec2").meta.endpoint_url == endpoint


def test_a_role_is_taken_on(standin):
    iam = standin.client("iam")
    trust = {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"AWS": "arn:aws:iam::123456789012:root"},
                "Action": "sts:AssumeRole",
            }
        ],
    }
    role = iam.create_role(RoleName="taken", AssumeRolePolicyDocument=json.dumps(trust))
    access = Access(
        region=standin.account.region,
        endpoint=standin.server.url,
        keys=("test", "test"),
        assume_role=role["Role"]["Arn"],
    )
    who = Clients(access).client("sts").get_caller_identity()["Arn"]

    assert who == "arn:aws:sts::123456789012:assumed-role/taken/nodewright"
