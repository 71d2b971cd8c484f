"""Fill the folder of a new sandbox: certificates, kubeconfigs and the stages that KWOK plays."""

import os
from datetime import datetime
from importlib import resources
from pathlib import Path

from nodewright.sandbox.certificates import Authority, Identity, make_key_pair
from nodewright.sandbox.folder import Folder, Spec
from nodewright.sandbox.kubeconfig import context_name, render_kubeconfig
from nodewright.sandbox.programs import USERS, user_file

_VERSION_MARK = "@KUBERNETES_VERSION@"


def furnish(folder: Folder, spec: Spec, server: str, now: datetime) -> None:
    """Write every file that the programs read; the user's kubeconfig comes last."""
    for each in (folder.certificates, folder.data, folder.logs):
        each.mkdir(mode=0o700, exist_ok=True)
    pki = folder.certificates
    authority = Authority(context_name(spec.name), now)
    _write(pki / "authority.crt", authority.pem)
    _write_identity(pki / "server", authority.issue_server())
    tokens = make_key_pair()
    _write(pki / "tokens.key", tokens.key_pem)
    _write(pki / "tokens.pub", tokens.public_pem)
    for user, group in USERS.items():
        identity = authority.issue_client(user, group)
        config = render_kubeconfig(context_name(spec.name), server, authority.pem, identity)
        _write(pki / f"{user_file(user)}.kubeconfig", config.encode())
        if user == "admin":
            _write_identity(pki / "admin", identity)
    _write(folder.stages, render_stages(spec.kubernetes_version).encode())
    _write(folder.kubeconfig, (pki / "admin.kubeconfig").read_bytes())


def render_stages(kubernetes_version: str) -> str:
    """Give the stages file, with fake kubelets of the given release."""
    text = resources.files("nodewright.sandbox").joinpath("stages.yaml").read_text("utf-8")
    return text.replace(_VERSION_MARK, kubernetes_version)


def _write_identity(stem: Path, identity: Identity) -> None:
    _write(stem.with_suffix(".crt"), identity.certificate_pem)
    _write(stem.with_suffix(".key"), identity.key_pem)


def _write(path: Path, content: bytes) -> None:
    # Keys must never be readable by others, not even for the moment before a chmod.
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
