import type { Duplex } from 'node:stream';
import { codingOf, type MakeDecoder, responseDecoder } from './content-coding.ts';
import { type FlatHeaders, headerOf, withoutHeaders } from './headers.ts';
import type { ResponseReceiver, ResponseSource } from './response.ts';
import { UpstreamError } from './upstream-error.ts';

/** Headers that describe the encoded bytes. */
const codingHeaders = ['content-encoding', 'content-length', 'content-md5', 'content-digest'];

/** Decompresses a response on the way to its receiver, and adapts its headers. */
export class DecodedResponse implements ResponseReceiver, ResponseSource {
  readonly #receiver: ResponseReceiver;
  readonly #limit: number;
  readonly #origin: string;
  #call: ResponseSource | undefined;
  #make: MakeDecoder | undefined;
  #decoder: Duplex | undefined;
  #bytes = 0;
  #isOver = false;

  /** @param limit upper bound of the decoded bytes */
  constructor(receiver: ResponseReceiver, limit: number, origin: string) {
    this.#receiver = receiver;
    this.#limit = limit;
    this.#origin = origin;
  }

  /** Sets the call that the response comes from. */
  from(call: ResponseSource): this {
    this.#call = call;
    return this;
  }

  start(status: number, headers: FlatHeaders, statusMessage: string): void {
    this.#make = responseDecoder(codingOf(headerOf(headers, 'content-encoding')));
    const readable = this.#make === undefined ? headers : withoutHeaders(headers, ...codingHeaders);
    this.#receiver.start(status, readable, statusMessage);
  }

  data(chunk: Buffer): void {
    if (this.#make === undefined) {
      this.#receiver.data(chunk);
      return;
    }
    this.#decoder ??= this.#decode(this.#make(chunk));
    if (!this.#decoder.write(chunk)) this.#call?.pause();
  }

  end(): void {
    if (this.#decoder !== undefined) this.#decoder.end();
    else
      this.#finish(() => {
        this.#receiver.end();
      });
  }

  failed(error: UpstreamError): void {
    this.#finish(() => {
      this.#receiver.failed(error);
    });
  }

  pause(): void {
    if (this.#decoder === undefined) this.#call?.pause();
    else this.#decoder.pause();
  }

  resume(): void {
    if (this.#decoder === undefined) this.#call?.resume();
    else this.#decoder.resume();
  }

  abort(reason?: UpstreamError): void {
    this.#call?.abort(reason);
    // The upstream may have finished while the decoder has not.
    if (this.#decoder !== undefined)
      this.failed(reason ?? new UpstreamError('aborted', 'The request was aborted.'));
  }

  #decode(decoder: Duplex): Duplex {
    decoder.on('data', (chunk: Buffer) => {
      this.#take(chunk);
    });
    decoder.on('drain', () => this.#call?.resume());
    decoder.once('end', () => {
      this.#finish(() => {
        this.#receiver.end();
      });
    });
    decoder.on('error', (error) => {
      const message = `The compressed response of ${this.#origin} is invalid: ${error.message}`;
      this.abort(new UpstreamError('cut', message, error));
    });
    return decoder;
  }

  #take(chunk: Buffer): void {
    if (this.#isOver) return;
    this.#bytes += chunk.length;
    if (this.#bytes <= this.#limit) this.#receiver.data(chunk);
    else {
      const message = `The compressed response of ${this.#origin} expands to more than ${String(this.#limit)} bytes.`;
      this.abort(new UpstreamError('cut', message));
    }
  }

  #finish(notify: () => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#decoder?.destroy();
    notify();
  }
}
