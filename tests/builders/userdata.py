"""User data in the form in which EC2 keeps it."""

import base64
import gzip


def encode(text, *, pack=False):
    raw = text.encode()
    return base64.b64encode(gzip.compress(raw) if pack else raw).decode()


def mime(*parts, boundary="//", closed=True):
    body = "".join(
        f'--{boundary}\nContent-Type: {kind}; charset="us-ascii"\n\n{text}\n'
        for kind, text in parts
    )
    end = f"--{boundary}--\n" if closed else ""
    return f'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="{boundary}"\n\n{body}{end}'
