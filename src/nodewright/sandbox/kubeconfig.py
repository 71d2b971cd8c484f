"""The file by which kubectl and every client finds a sandbox.

Certificates are written into the file itself, so that it works wherever it is copied to.
"""

import base64

import yaml

from nodewright.sandbox.certificates import Identity


def context_name(sandbox: str) -> str:
    """Give the name under which a sandbox shows in `kubectl config get-contexts`."""
    return f"nodewright-sandbox-{sandbox}"


def render_kubeconfig(context: str, server: str, authority_pem: bytes, user: Identity) -> str:
    """Write a kubeconfig with one cluster, one user and one context."""
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": context,
        "clusters": [
            {
                "name": context,
                "cluster": {
                    "server": server,
                    "certificate-authority-data": _base64(authority_pem),
                },
            }
        ],
        "users": [
            {
                "name": context,
                "user": {
                    "client-certificate-data": _base64(user.certificate_pem),
                    "client-key-data": _base64(user.key_pem),
                },
            }
        ],
        "contexts": [{"name": context, "context": {"cluster": context, "user": context}}],
    }
    return yaml.safe_dump(document, sort_keys=False)


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
