import type { FlatHeaders } from './headers.ts';
import type { UpstreamError } from './upstream-error.ts';

/** Receives a response in pieces. `failed` may be called at any time; nothing follows it or `end`. */
export interface ResponseReceiver {
  start(status: number, headers: FlatHeaders, statusMessage: string): void;
  data(chunk: Buffer): void;
  end(): void;
  failed(error: UpstreamError): void;
}

/** A response that can be paused and aborted. */
export interface ResponseSource {
  pause(): void;
  resume(): void;
  abort(reason?: UpstreamError): void;
}
