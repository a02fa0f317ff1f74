import type { Metadata, ServerUnaryCall, ServiceDefinition, sendUnaryData } from '@grpc/grpc-js';
import { messageOf } from '@loopwatch/contract';
import type { Role } from '@loopwatch/contract/api';
import type { OtlpSignal } from '@loopwatch/formats/otlp-protobuf';
import type { Logger } from 'pino';
import { HttpProblem } from '../http/problem.ts';
import type { EventIngest } from './event-ingest.ts';
import { limits } from './limits.ts';
import { decodeOtlp } from './otlp-api.ts';

type Call = ServerUnaryCall<Buffer, Buffer>;

export interface OtlpGrpcOptions {
  readonly host: string;
  /** 0: a free port. */
  readonly port: number;
  /**
   * Who sent a request; undefined: not logged in.
   *
   * @throws HttpProblem 429 when the address has sent too many wrong tokens
   */
  readonly userOf: (
    headers: { readonly authorization: string | undefined },
    address: () => string,
  ) => Promise<{ readonly role: Role } | undefined>;
  readonly ingest: Pick<EventIngest, 'ingest'>;
  readonly logger: Logger;
}

/** `Export` of the services of OTLP/gRPC, by signal. */
const paths: Readonly<Record<OtlpSignal, string>> = {
  traces: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
  logs: '/opentelemetry.proto.collector.logs.v1.LogsService/Export',
};
/** An exporter retries UNAVAILABLE only (OTLP 1.x, "Failures"). */
const codes: Readonly<Record<number, 'INVALID_ARGUMENT' | 'UNAUTHENTICATED' | 'PERMISSION_DENIED'>> = {
  400: 'INVALID_ARGUMENT',
  413: 'INVALID_ARGUMENT',
  422: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
};

/**
 * OTLP/gRPC for exporters and collectors: the same requests as over HTTP, with the same limits. Without TLS, as the HTTP port.
 *
 * @throws Error when the port is in use
 */
export async function listenForOtlp({
  host,
  port,
  userOf,
  ingest,
  logger,
}: OtlpGrpcOptions): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
  // A bundle offers a CommonJS module as the default export only.
  const { Server, ServerCredentials, status } = (await import('@grpc/grpc-js')).default;
  const answer = async (signal: OtlpSignal, call: Call): Promise<Buffer> => {
    await requireProducer(userOf, call);
    await ingest.ingest(decodeOtlp(signal, once(call.request)), { format: 'otlp', isNdjson: false });
    // An empty message: everything was accepted, or told in the log.
    return Buffer.alloc(0);
  };
  const handler = (signal: OtlpSignal) => (call: Call, respond: sendUnaryData<Buffer>) => {
    answer(signal, call).then(
      (message) => respond(null, message),
      (error: unknown) => {
        if (!(error instanceof HttpProblem)) logger.error({ err: error }, 'An OTLP/gRPC request failed');
        const name = error instanceof HttpProblem ? (codes[error.status] ?? 'UNAVAILABLE') : 'INTERNAL';
        const details = error instanceof HttpProblem ? messageOf(error) : 'internal error; see the log';
        respond({ code: status[name], details });
      },
    );
  };
  const server = new Server({ 'grpc.max_receive_message_length': limits.eventBytes });
  for (const signal of ['traces', 'logs'] as const)
    server.addService(service(paths[signal]), { Export: handler(signal) });
  const bound = await new Promise<number>((resolve, reject) => {
    const address = `${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, own) => {
      if (error === null) resolve(own);
      else reject(new Error(`OTLP/gRPC cannot listen on ${address}: ${error.message}`));
    });
  });
  return {
    port: bound,
    close: () => {
      server.forceShutdown();
      return Promise.resolve();
    },
  };
}

/** @throws HttpProblem 401, 403, or 429 when the address has sent too many wrong tokens */
async function requireProducer(userOf: OtlpGrpcOptions['userOf'], call: Call): Promise<void> {
  const authorization = headerOf(call.metadata, 'authorization');
  const user = await userOf({ authorization }, () => call.getPeer().replace(/:\d+$/, ''));
  if (user === undefined)
    throw new HttpProblem(401, 'Send a token: authorization: Bearer <LOOPWATCH_INGEST_TOKEN>');
  if (user.role === 'viewer')
    throw new HttpProblem(403, 'Viewers have read-only access; send the token of a producer');
}

function headerOf(metadata: Metadata, name: string): string | undefined {
  const [value] = metadata.get(name);
  return typeof value === 'string' ? value : undefined;
}

/** Messages stay bytes: the decoder of OTLP/HTTP reads them. */
function service(path: string): ServiceDefinition {
  const asIs = (bytes: Buffer): Buffer => bytes;
  return {
    Export: {
      path,
      requestStream: false,
      responseStream: false,
      requestSerialize: asIs,
      requestDeserialize: asIs,
      responseSerialize: asIs,
      responseDeserialize: asIs,
    },
  };
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield await Promise.resolve(bytes);
}
