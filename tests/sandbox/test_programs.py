"""Command lines of the programs."""

from pathlib import Path

import msgspec
import yaml

from nodewright.sandbox.binaries import Binaries
from nodewright.sandbox.folder import Folder
from nodewright.sandbox.furnish import render_stages
from nodewright.sandbox.programs import Ports, plan_programs

PORTS = Ports(etcd=1, etcd_peer=2, apiserver=3, controller_manager=4, scheduler=5, kwok=6)
BINARIES = Binaries(
    etcd="/bin/etcd",
    kube_apiserver="/bin/kube-apiserver",
    kube_controller_manager="/bin/kube-controller-manager",
    kube_scheduler="/bin/kube-scheduler",
    kubectl="/bin/kubectl",
    kwok="/bin/kwok",
)


def planned(*extra):
    plan = plan_programs(BINARIES, Folder(Path("/state/mine")), PORTS, extra)
    return {program.name: program for wave in plan.waves for program in wave}


def test_the_store_comes_first_and_the_clients_last():
    plan = plan_programs(BINARIES, Folder(Path("/state/mine")), PORTS)

    assert [[program.name for program in wave] for wave in plan.waves] == [
        ["etcd"],
        ["kube-apiserver"],
        ["kube-controller-manager", "kube-scheduler", "kwok"],
    ]


def test_nothing_listens_beyond_the_loopback_address():
    for program in planned().values():
        listening = [
            flag
            for flag in program.argv
            if flag.startswith(("--listen", "--bind", "--advertise", "--server-address"))
        ]
        assert listening
        assert all("127.0.0.1" in flag for flag in listening)
        assert program.ready_url.split("//")[1].startswith(f"127.0.0.1:{program.port}/")


def test_rights_are_checked():
    assert "--authorization-mode=RBAC" in planned()["kube-apiserver"].argv


def test_a_test_may_give_the_api_server_more_flags():
    assert planned("--v=4")["kube-apiserver"].argv[-1] == "--v=4"


def test_every_stage_has_its_own_name_and_the_nodes_their_release():
    text = render_stages("v1.33.13")

    names = [stage["metadata"]["name"] for stage in yaml.safe_load_all(text)]
    assert len(names) == len(set(names)) == 7
    assert '"v1.33.13"' in text
    assert "@" not in text


def test_aws_comes_beside_the_api_server_and_its_kubelets_last():
    ports = msgspec.structs.replace(PORTS, aws=7)
    plan = plan_programs(BINARIES, Folder(Path("/state/mine")), ports, (), "eu-west-1")
    programs = {program.name: program for wave in plan.waves for program in wave}

    assert [program.name for program in plan.waves[1]] == ["kube-apiserver", "aws"]
    assert plan.waves[2][-1].name == "kubelet"
    assert programs["aws"].ready_url == "http://127.0.0.1:7/_standin/health"
    assert "--region=eu-west-1" in programs["aws"].argv
    assert "--url=http://127.0.0.1:7" in programs["kubelet"].argv
