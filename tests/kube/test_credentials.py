"""Tokens rotate, plugins are asked again, and their failures are sentences."""

import json
import sys

import pytest

from nodewright.kube.access import Access, ExecPlugin, Source, User
from nodewright.kube.credentials import Credentials
from nodewright.model.errors import UserError
from nodewright.model.instant import print_instant


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def a_plugin(tmp_path, script, **more):
    path = tmp_path / "plugin.py"
    path.write_text(script)
    return Access("https://x", User(plugin=ExecPlugin(sys.executable, (str(path),), **more)))


def printing(**status):
    answer = {"kind": "ExecCredential", "status": status}
    return f"print({json.dumps(json.dumps(answer))})"


async def test_a_token_file_is_read_again_after_a_minute(tmp_path, clock):
    token = tmp_path / "token"
    token.write_text("one\n")
    credentials = Credentials(Access("https://x", User(token=Source(path=str(token)))), clock)
    first = await credentials.headers()
    token.write_text("two\n")
    still = await credentials.headers()
    clock.ticks += 60_000
    later = await credentials.headers()

    assert (first, still, later) == (bearer("one"), bearer("one"), bearer("two"))


async def test_a_refused_token_is_read_again_at_once(tmp_path, clock):
    token = tmp_path / "token"
    token.write_text("one")
    credentials = Credentials(Access("https://x", User(token=Source(path=str(token)))), clock)
    await credentials.headers()
    token.write_text("two")
    credentials.distrust()

    assert await credentials.headers() == bearer("two")


async def test_a_password_is_sent_as_basic(clock):
    credentials = Credentials(Access("https://x", User(basic=("me", "pw"))), clock)

    assert await credentials.headers() == {"Authorization": "Basic bWU6cHc="}


async def test_a_plugin_is_asked_again_shortly_before_its_answer_expires(tmp_path, clock):
    expires = print_instant(clock.now_ms() + 600_000)
    count = tmp_path / "count"
    script = f"open({str(count)!r}, 'a').write('x')\n" + printing(
        token="t", expirationTimestamp=expires
    )
    credentials = Credentials(a_plugin(tmp_path, script), clock)
    for _ in range(3):
        assert await credentials.headers() == bearer("t")
    asked_at_first = count.read_text()
    clock.ticks += 571_000
    await credentials.headers()

    assert (asked_at_first, count.read_text()) == ("x", "xx")


async def test_a_plugin_gets_its_variables_and_the_cluster_if_it_wants(tmp_path, clock):
    script = (
        "import json, os\n"
        "info = json.loads(os.environ['KUBERNETES_EXEC_INFO'])\n"
        "token = os.environ['WHO'] + info['spec']['cluster']['server']\n"
        "print(json.dumps({'status': {'token': token}}))"
    )
    access = a_plugin(tmp_path, script, env=(("WHO", "me-"),), provide_cluster_info=True)

    assert await Credentials(access, clock).headers() == bearer("me-https://x")


async def test_a_certificate_from_a_plugin_calls_for_new_connections(tmp_path, clock):
    script = printing(clientCertificateData="cert", clientKeyData="key")
    credentials = Credentials(a_plugin(tmp_path, script), clock)

    assert await credentials.headers() == {}
    assert (credentials.certificate, credentials.generation) == ((b"cert", b"key"), 1)


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        ("import sys; sys.exit('please sign in')", "failed with status 1: please sign in"),
        ("print('hello')", "did not print an ExecCredential"),
        ("print('{}')", "printed neither a token nor a certificate"),
        (printing(token="t", expirationTimestamp="soon"), "expirationTimestamp is wrong"),
    ],
)
async def test_a_plugin_that_fails_is_told_with_its_command(tmp_path, clock, script, sentence):
    with pytest.raises(UserError) as failed:
        await Credentials(a_plugin(tmp_path, script), clock).headers()

    assert sentence in failed.value.message
    assert "plugin.py" in failed.value.where
    assert "by hand" in failed.value.advice


async def test_a_plugin_that_is_not_installed_gives_its_own_hint(clock):
    plugin = ExecPlugin("no-such-program", install_hint="install it with: get it")

    with pytest.raises(UserError) as failed:
        await Credentials(Access("https://x", User(plugin=plugin)), clock).headers()
    assert failed.value.advice == "install it with: get it"
