"""Exports the spans of a tool that runs again and again, with OpenTelemetry's own SDK."""

import sys

from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

url, session, calls, compression = sys.argv[1:]
provider = TracerProvider()
provider.add_span_processor(
    BatchSpanProcessor(
        OTLPSpanExporter(endpoint=f"{url}/v1/traces", compression=Compression(compression))
    )
)
tracer = provider.get_tracer("agent")
for call in range(int(calls)):
    with tracer.start_as_current_span("execute_tool read_file") as span:
        span.set_attribute("gen_ai.operation.name", "execute_tool")
        span.set_attribute("gen_ai.conversation.id", session)
        span.set_attribute("gen_ai.tool.name", "read_file")
        span.set_attribute("gen_ai.tool.call.id", f"call-{call}")
        span.set_attribute("gen_ai.tool.call.arguments", '{"path":"a"}')
        span.set_attribute("gen_ai.tool.call.result", "an empty file")
provider.shutdown()
