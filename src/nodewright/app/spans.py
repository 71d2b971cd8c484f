"""Traces are off unless somebody names an endpoint; then spans go there and nowhere else."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final
from urllib.parse import urlsplit

from nodewright.app.durations import BAD_SETTING
from nodewright.model.errors import UserError
from nodewright.ports.witness import Witness

_PATH: Final = "/v1/traces"


def read_endpoint(text: str) -> str:
    """Give where spans are sent to; what is no address is one sentence, and nothing is off."""
    if not text:
        return ""
    address = urlsplit(text)
    if address.scheme not in ("http", "https") or not address.hostname:
        raise UserError(
            f"--traces: {text!r} is not an address",
            code=BAD_SETTING,
            advice="write it like http://collector:4318, where OTLP over HTTP is taken",
        )
    return text if address.path.rstrip("/") else text.rstrip("/") + _PATH


@contextmanager
def tracing(
    endpoint: str, version: str, now_ms: Callable[[], int]
) -> Iterator[tuple[Witness, ...]]:
    """Give the witness that makes spans, for the length of a block; nobody where traces are off."""
    if not endpoint:
        yield ()
        return
    try:
        # A large library that is an extra: only those who want traces have it.
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        from nodewright.observe.traces import Traces
    except ImportError:
        raise UserError(
            "--traces needs OpenTelemetry, which is not installed",
            code=BAD_SETTING,
            advice="install it with: pip install 'nodewright[traces]'",
        ) from None
    resource = Resource({"service.name": "nodewright", "service.version": version})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint)))
    try:
        yield (Traces(provider.get_tracer("nodewright", version), now_ms),)
    finally:
        provider.shutdown()
