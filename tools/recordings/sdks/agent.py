"""What the recorded agents share: their prompt, their tool, and where their telemetry goes."""

import os
import sys

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

PROMPT = f"Scenario {sys.argv[1]}"
MODEL = os.environ["OPENAI_BASE_URL"]


def read_file(path: str) -> str:
    """Reads a file.

    Args:
        path: The file.
    """
    if path == "missing.md":
        raise FileNotFoundError(f"no such file: {path}")
    return "an empty file" if path == "notes.md" else f"the text of {path}"


def exported() -> TracerProvider:
    """The global provider, which exports as OTEL_EXPORTER_OTLP_ENDPOINT says."""
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    return provider
