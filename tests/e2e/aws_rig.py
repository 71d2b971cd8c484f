"""A control plane with an AWS account beside it, for the tests that need both."""

import io
import json
import os
from contextlib import contextmanager, redirect_stdout
from unittest import mock

from awscli.clidriver import create_clidriver

from e2e.conftest import Cluster
from nodewright.sandbox import standin
from nodewright.sandbox.accounts import scenario
from nodewright.sandbox.cluster import running
from nodewright.sandbox.folder import Spec
from nodewright.sandbox.kubelet.cloud import Keys


class Account(Cluster):
    """A cluster of EKS: its control plane, and the account that it is in."""

    def __init__(self, sandbox, wanted):
        super().__init__(sandbox)
        self.scenario = wanted
        self.name = wanted.clusters[0].name
        record = sandbox.record
        self._keys = Keys(record.aws_url, record.aws_region, "test")
        self.environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith("AWS_")},
            **standin.environment(record),
            "KUBECONFIG": str(sandbox.kubeconfig),
        }
        with mock.patch.dict(os.environ, self.environment):
            self._cli = create_clidriver()

    def client(self, service):
        """Give a client of the account's root."""
        return self._keys.client(service)

    def aws(self, *arguments):
        """Run aws-cli in this process and give what it answers, decoded."""
        said = io.StringIO()
        with mock.patch.dict(os.environ, self.environment), redirect_stdout(said):
            status = self._cli.main([*arguments, "--output", "json"])
        assert status == 0, f"aws {' '.join(arguments)}: status {status}"
        return json.loads(said.getvalue()) if said.getvalue().strip() else None

    def node_of(self, instance_id):
        """Give the node of an instance, or nothing."""
        return next(
            (
                node
                for node in self.get("nodes")["items"]
                if node["spec"].get("providerID", "").endswith(f"/{instance_id}")
            ),
            None,
        )

    def console_of(self, instance_id):
        """Give what an instance printed to its console."""
        # boto3 decodes it by itself.
        return self.client("ec2").get_console_output(InstanceId=instance_id).get("Output", "")


@contextmanager
def an_account(programs, wanted, name):
    """Have a sandbox with a scenario's account for the length of a block."""
    found = scenario.read(wanted)
    spec = Spec(
        name=f"{name}-{os.getpid()}",
        kubernetes_version=programs.version,
        binaries=programs.binaries,
        owned=True,
        aws_region=found.region,
    )
    with running(spec, lambda _: None) as sandbox:
        standin.fill(sandbox, found, lambda _: None)
        yield Account(sandbox, found)
