"""Sessions and clients of boto3: who we are to AWS, in which region, and how long we wait.

Credentials come from where boto3 looks: the environment, a web identity (IRSA), Pod Identity, a profile,
the machine's own role; a role that is to be taken on is taken on with them and renewed in time. Endpoints
can be set with AWS_ENDPOINT_URL. Retries are ours, so boto3's are off.
"""

import threading
from collections.abc import Mapping
from typing import Any, Final

import boto3
import botocore.session
import msgspec
from botocore.config import Config
from botocore.credentials import AssumeRoleCredentialFetcher, DeferredRefreshableCredentials
from botocore.exceptions import BotoCoreError, ProfileNotFound
from botocore.utils import IMDSRegionProvider

from nodewright.catalog.pricelist import pricing_region_of
from nodewright.model.errors import UserError

NO_REGION: Final = "NW-3111"
NO_CREDENTIALS: Final = "NW-3112"
_CONNECT_S: Final = 5
_READ_S: Final = {"sqs": 30, "ec2": 60}
_READ_DEFAULT_S: Final = 20
_CONNECTIONS: Final = 32
_ROLE_SESSION: Final = "nodewright"


class Access(msgspec.Struct, frozen=True):
    """How AWS is reached; what is empty is left to boto3 and its environment."""

    region: str = ""
    profile: str = ""
    endpoint: str = ""
    assume_role: str = ""
    assume_role_s: int = 900
    keys: tuple[str, str] | None = None


class Clients:
    """Clients of one account and region, each made once and used by every thread."""

    def __init__(self, access: Access) -> None:
        self._session = open_session(access)
        self._access = access
        self._made: dict[str, Any] = {}
        self._lock = threading.Lock()
        self.region = find_region(self._session)

    def check_credentials(self) -> None:
        """Refuse to go on where nobody says who we are."""
        try:
            found = self._session.get_credentials()
        except BotoCoreError as error:
            raise _no_credentials(f"AWS gives no credentials: {error}") from error
        if found is None:
            raise _no_credentials("nobody says with which credentials AWS is to be asked")

    def client(self, service: str) -> Any:
        """Give the client of a service."""
        with self._lock:
            if service not in self._made:
                self._made[service] = self._make(service)
            return self._made[service]

    def close(self) -> None:
        """Let the connections of every client go."""
        with self._lock:
            for one in self._made.values():
                one.close()
            self._made.clear()

    def _make(self, service: str) -> Any:
        region = pricing_region_of(self.region) if service == "pricing" else self.region
        return self._session.client(
            service,
            region_name=region,
            endpoint_url=self._access.endpoint or None,
            config=Config(
                retries={"total_max_attempts": 1},
                connect_timeout=_CONNECT_S,
                read_timeout=_READ_S.get(service, _READ_DEFAULT_S),
                max_pool_connections=_CONNECTIONS,
                user_agent_extra="nodewright",
            ),
        )


def open_session(access: Access) -> boto3.Session:
    """Open a session as whom the access names."""
    known: Mapping[str, str] = {}
    if access.keys is not None:
        known = {"aws_access_key_id": access.keys[0], "aws_secret_access_key": access.keys[1]}
    try:
        session = boto3.Session(
            region_name=access.region or None, profile_name=access.profile or None, **known
        )
        # A session does not always look at its profile when it is opened (not where AWS_DATA_PATH is
        # set), and would fail at its first call.
        if session.profile_name not in {"default", *session.available_profiles}:
            raise ProfileNotFound(profile=session.profile_name)
    except BotoCoreError as error:
        raise UserError(
            f"AWS cannot be reached with these settings: {error}",
            code=NO_CREDENTIALS,
            advice="look at --profile and at the AWS_ variables of the environment",
        ) from error
    return _taken_on(session, access) if access.assume_role else session


def _no_credentials(message: str) -> UserError:
    return UserError(
        message,
        code=NO_CREDENTIALS,
        advice="give the pod a role (IRSA or Pod Identity), or set AWS_PROFILE or the access keys",
    )


def find_region(session: Any) -> str:
    """Give the region of a session: as it is set, else that of the machine we run on."""
    region = session.region_name or _machine_region()
    if not region:
        raise UserError(
            "nobody says in which region of AWS the cluster is",
            code=NO_REGION,
            advice="set AWS_REGION, or --region",
        )
    return str(region)


def _machine_region() -> str:
    try:
        return str(IMDSRegionProvider(botocore.session.get_session()).provide() or "")
    except BotoCoreError:
        return ""


def _taken_on(session: boto3.Session, access: Access) -> boto3.Session:
    endpoint = {"endpoint_url": access.endpoint} if access.endpoint else {}

    def make_client(service: str, **options: Any) -> Any:
        return session.client(service, **{**options, **endpoint})

    fetcher = AssumeRoleCredentialFetcher(
        client_creator=make_client,
        source_credentials=session.get_credentials(),
        role_arn=access.assume_role,
        extra_args={"DurationSeconds": access.assume_role_s, "RoleSessionName": _ROLE_SESSION},
    )
    inner = botocore.session.get_session()
    # botocore has no public way to hand a session credentials that renew themselves.
    inner._credentials = DeferredRefreshableCredentials(  # noqa: SLF001
        method="assume-role", refresh_using=fetcher.fetch_credentials
    )
    return boto3.Session(botocore_session=inner, region_name=session.region_name)
