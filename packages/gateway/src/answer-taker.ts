import type { UpstreamError } from './http/upstream-error.ts';
import type { Outcome } from './metrics.ts';

/** What takes the bytes of an answer once its head is known. */
export interface AnswerTaker {
  data(chunk: Buffer): void;
  end(): Promise<Outcome> | Outcome;
  failed(error: UpstreamError): Promise<Outcome> | Outcome;
}
