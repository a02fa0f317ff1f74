import { type OtlpSignal, otlpJson } from '@loopwatch/formats/otlp-protobuf';
import { type Request, Router } from 'express';
import { HttpProblem, methodNotAllowed } from '../http/problem.ts';
import type { EventIngest } from './event-ingest.ts';
import { limits } from './limits.ts';
import { readBody } from './read-body.ts';

const protobuf = 'application/x-protobuf';
const json = 'application/json';
/** An export without data. In JSON it may be `{}`, which says nothing about its format. */
const emptyRequests: Readonly<Record<OtlpSignal, Buffer>> = {
  traces: Buffer.from('{"resourceSpans":[]}'),
  logs: Buffer.from('{"resourceLogs":[]}'),
};
/** A body that is longer is not looked at: bytes of `{}`, with some space around them. */
const MAX_EMPTY_BYTES = 64;

/** OTLP/HTTP: `POST /v1/traces` and `/v1/logs`, in JSON and protobuf, for exporters and collectors. */
export function otlpApi(ingest: EventIngest): Router {
  const router = Router();
  for (const signal of ['traces', 'logs'] as const) {
    router
      .route(`/v1/${signal}`)
      .post(async (request, response) => {
        const { rejected, rejectedTotal = rejected.length } = await ingest.ingest(jsonOf(signal, request), {
          format: 'otlp',
          isNdjson: false,
        });
        // An exporter expects its own encoding; in protobuf an empty message has no bytes.
        if (request.is(protobuf) !== false) {
          response.type(protobuf).send(Buffer.alloc(0));
          return;
        }
        const field = signal === 'traces' ? 'rejectedSpans' : 'rejectedLogRecords';
        const errorMessage = rejected[0]?.detail ?? '';
        response.json(
          rejectedTotal === 0 ? {} : { partialSuccess: { [field]: rejectedTotal, errorMessage } },
        );
      })
      .all(methodNotAllowed('POST'));
  }
  router.post('/v1/metrics', () => {
    throw new HttpProblem(
      404,
      'Loopwatch takes traces and logs, but no metrics: set OTEL_METRICS_EXPORTER=none',
    );
  });
  return router;
}

/** The body as OTLP/JSON. @throws HttpProblem 415 for another encoding */
function jsonOf(signal: OtlpSignal, request: Request): AsyncGenerator<Buffer> {
  if (request.is(protobuf) !== false) return decodeOtlp(signal, readBody(request));
  if (request.is(json) !== false) return namingEmpty(signal, readBody(request));
  throw new HttpProblem(415, `Unsupported content type for OTLP; use ${protobuf} or ${json}`);
}

async function* namingEmpty(signal: OtlpSignal, chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (head === undefined) yield chunk;
    else {
      head = Buffer.concat([head, chunk]);
      if (head.length <= MAX_EMPTY_BYTES) continue;
      yield head;
      head = undefined;
    }
  }
  if (head !== undefined)
    yield /^\s*\{\s*\}\s*$/.test(head.toString('latin1')) ? emptyRequests[signal] : head;
}

/** OTLP/JSON of a request in protobuf. Reading throws HttpProblem 413 when it is too long, 400 when it is invalid. */
export async function* decodeOtlp(
  signal: OtlpSignal,
  chunks: AsyncGenerator<Buffer>,
): AsyncGenerator<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > limits.eventBytes)
      throw new HttpProblem(
        413,
        `An OTLP request may have at most ${String(limits.eventBytes)} bytes; lower the batch size of the exporter`,
      );
    parts.push(chunk);
  }
  const text = otlpJson(Buffer.concat(parts), signal);
  if (text === undefined)
    throw new HttpProblem(400, `The body is not a valid OTLP ${signal} request in protobuf`);
  yield text === '{}' ? emptyRequests[signal] : Buffer.from(text);
}
