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
  const Exporter = encoding === 'json' ? JsonExporter : ProtobufExporter;
  const exporter = new Exporter({ url: `${url}/v1/traces` });
  const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] });
  provider.register();
  await run(provider.getTracer('agent'));
  await provider.shutdown();
}
