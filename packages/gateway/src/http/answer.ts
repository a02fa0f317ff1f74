import type { FlatHeaders } from './headers.ts';
import type { UpstreamError } from './upstream-error.ts';

/** Takes an answer as it comes; `failed` may come at any time, and nothing comes after it or after `end`. */
export interface AnswerReceiver {
  start(status: number, headers: FlatHeaders, statusMessage: string): void;
  data(chunk: Buffer): void;
  end(): void;
  failed(error: UpstreamError): void;
}

/** Where an answer comes from: it can be held up, and broken off. */
export interface AnswerSource {
  pause(): void;
  resume(): void;
  abort(reason?: UpstreamError): void;
}
