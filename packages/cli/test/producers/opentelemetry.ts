import { OTLPTraceExporter as GrpcExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

type Tracer = ReturnType<NodeTracerProvider['getTracer']>;

/** Runs something with the SDK as an application registers it. Resolves once the spans are exported. */
export async function traced(
  url: string,
  encoding: string,
  run: (tracer: Tracer) => Promise<void> | void,
): Promise<void> {
  const exporter = encoding === 'grpc' ? new GrpcExporter({ url }) : httpExporter(url, encoding);
  const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] });
  provider.register();
  await run(provider.getTracer('agent'));
  await provider.shutdown();
}

function httpExporter(url: string, encoding: string): JsonExporter | ProtobufExporter {
  const Exporter = encoding === 'json' ? JsonExporter : ProtobufExporter;
  return new Exporter({ url: `${url}/v1/traces` });
}
