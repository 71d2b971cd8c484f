"""A real Prometheus beside a controller: it scrapes, holds the chart's alerts, and answers queries."""

import json
import socket
import subprocess
import time
import urllib.parse
import urllib.request

import yaml

from builders.monitoring import FILES

_WINDOW = "1m"
_ANSWER_S = 10


class Prometheus:
    """One server, with the chart's rules, of which every alert fires as soon as it holds."""

    def __init__(self, binary, folder, target):
        rules = yaml.safe_load((FILES / "alerts.yaml").read_text())
        for group in rules["groups"]:
            for rule in group["rules"]:
                rule["for"] = "0s"
        (folder / "alerts.yaml").write_text(json.dumps(rules))
        config = {
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
            "rule_files": ["alerts.yaml"],
            "scrape_configs": [
                {"job_name": "nodewright", "static_configs": [{"targets": [target]}]}
            ],
        }
        path = folder / "prometheus.yaml"
        path.write_text(json.dumps(config))
        self._port = _free_port()
        self._log = (folder / "prometheus.log").open("wb")
        self._process = subprocess.Popen(
            [
                binary, f"--config.file={path}", f"--storage.tsdb.path={folder / 'tsdb'}",
                f"--web.listen-address=127.0.0.1:{self._port}", "--storage.tsdb.retention.time=1h",
            ],
            stdout=self._log, stderr=subprocess.STDOUT,
        )  # fmt: skip

    def stop(self):
        """End it."""
        self._process.terminate()
        self._process.wait(30)
        self._log.close()

    def wait_ready(self, limit_s=120):
        """Wait until it answers."""
        end = time.monotonic() + limit_s
        while True:
            assert self._process.poll() is None, "Prometheus has ended; see prometheus.log"
            try:
                return self._get("/-/ready")
            except OSError:
                assert time.monotonic() < end, "Prometheus does not become ready"
                time.sleep(0.2)

    def ask(self, query):
        """Give the series that a query of a dashboard finds."""
        written = query.replace("$__rate_interval", _WINDOW)
        path = "/api/v1/query?" + urllib.parse.urlencode({"query": written})
        return json.loads(self._get(path))["data"]["result"]

    def rules(self):
        """Give the state of every alert by its name."""
        groups = json.loads(self._get("/api/v1/rules"))["data"]["groups"]
        return {rule["name"]: rule for group in groups for rule in group["rules"]}

    def unscraped(self):
        """Give what is not scraped, or why not."""
        active = json.loads(self._get("/api/v1/targets"))["data"]["activeTargets"]
        troubles = {one["lastError"] or one["health"] for one in active if one["health"] != "up"}
        return troubles if active else {"no target yet"}

    def _get(self, path):
        address = f"http://127.0.0.1:{self._port}{path}"
        with urllib.request.urlopen(address, timeout=_ANSWER_S) as answer:
            return answer.read()


def _free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]
