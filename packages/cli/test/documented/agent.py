"""An agent that reads the same file again and again, instrumented as `opentelemetry-instrument` does it."""

import os

from opentelemetry import trace
from opentelemetry.sdk._configuration import _OTelSDKConfigurator

# The defaults of its distribution.
os.environ.setdefault("OTEL_TRACES_EXPORTER", "otlp")
os.environ.setdefault("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
_OTelSDKConfigurator().configure()

tracer = trace.get_tracer("agent")
for call in range(5):
    with tracer.start_as_current_span("execute_tool read_file") as span:
        span.set_attribute("gen_ai.operation.name", "execute_tool")
        span.set_attribute("gen_ai.conversation.id", "traced")
        span.set_attribute("gen_ai.tool.name", "read_file")
        span.set_attribute("gen_ai.tool.call.id", f"call-{call}")
        span.set_attribute("gen_ai.tool.call.arguments", '{"path":"a"}')
        span.set_attribute("gen_ai.tool.call.result", "an empty file")
