import { type OtlpSignal, otlpJson } from '@loopwatch/formats/otlp-protobuf';
import { type Request, Router } from 'express';
import { HttpProblem, methodNotAllowed } from '../http/problem.ts';
import type { EventIngest } from './event-ingest.ts';
import { limits } from './limits.ts';
import { readBody } from './read-body.ts';

const protobuf = 'application/x-protobuf';
const json = 'application/json';

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
  return router;
}

/** The body as OTLP/JSON. @throws HttpProblem 415 for another encoding */
function jsonOf(signal: OtlpSignal, request: Request): AsyncGenerator<Buffer> {
  if (request.is(protobuf) !== false) return decodeOtlp(signal, readBody(request));
  if (request.is(json) !== false) return readBody(request);
  throw new HttpProblem(415, `Unsupported content type for OTLP; use ${protobuf} or ${json}`);
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
  yield Buffer.from(text);
}
