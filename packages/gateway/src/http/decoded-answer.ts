import type { Duplex } from 'node:stream';
import type { AnswerReceiver, AnswerSource } from './answer.ts';
import { codingOf, decoderOfAnswer, type MakeDecoder } from './decoders.ts';
import { type FlatHeaders, headerOf, withoutHeaders } from './headers.ts';
import { UpstreamError } from './upstream-error.ts';

/** What says something of the coded bytes. */
const ofCoding = ['content-encoding', 'content-length', 'content-md5', 'content-digest'];

/** Decodes an answer on its way to its receiver: what goes on is not compressed, and its headers say so. */
export class DecodedAnswer implements AnswerReceiver, AnswerSource {
  private readonly receiver: AnswerReceiver;
  private readonly limit: number;
  private readonly origin: string;
  private call: AnswerSource | undefined;
  private make: MakeDecoder | undefined;
  private decoder: Duplex | undefined;
  private bytes = 0;
  private over = false;

  /** @param limit bytes when decoded, at most */
  constructor(receiver: AnswerReceiver, limit: number, origin: string) {
    this.receiver = receiver;
    this.limit = limit;
    this.origin = origin;
  }

  /** The call that the answer belongs to. */
  from(call: AnswerSource): this {
    this.call = call;
    return this;
  }

  start(status: number, headers: FlatHeaders, statusMessage: string): void {
    this.make = decoderOfAnswer(codingOf(headerOf(headers, 'content-encoding')));
    const readable = this.make === undefined ? headers : withoutHeaders(headers, ...ofCoding);
    this.receiver.start(status, readable, statusMessage);
  }

  data(chunk: Buffer): void {
    if (this.make === undefined) {
      this.receiver.data(chunk);
      return;
    }
    this.decoder ??= this.decode(this.make(chunk));
    if (!this.decoder.write(chunk)) this.call?.pause();
  }

  end(): void {
    if (this.decoder !== undefined) this.decoder.end();
    else
      this.finish(() => {
        this.receiver.end();
      });
  }

  failed(error: UpstreamError): void {
    this.finish(() => {
      this.receiver.failed(error);
    });
  }

  pause(): void {
    if (this.decoder === undefined) this.call?.pause();
    else this.decoder.pause();
  }

  resume(): void {
    if (this.decoder === undefined) this.call?.resume();
    else this.decoder.resume();
  }

  abort(reason?: UpstreamError): void {
    this.call?.abort(reason);
    // The upstream may have said everything, and the decoder not yet.
    if (this.decoder !== undefined)
      this.failed(reason ?? new UpstreamError('aborted', 'The request was broken off.'));
  }

  private decode(decoder: Duplex): Duplex {
    decoder.on('data', (chunk: Buffer) => {
      this.take(chunk);
    });
    decoder.on('drain', () => this.call?.resume());
    decoder.once('end', () => {
      this.finish(() => {
        this.receiver.end();
      });
    });
    decoder.on('error', (error) => {
      const message = `The compressed answer of ${this.origin} cannot be read: ${error.message}`;
      this.abort(new UpstreamError('cut', message, error));
    });
    return decoder;
  }

  private take(chunk: Buffer): void {
    if (this.over) return;
    this.bytes += chunk.length;
    if (this.bytes <= this.limit) this.receiver.data(chunk);
    else {
      const message = `The compressed answer of ${this.origin} expands to more than ${String(this.limit)} bytes.`;
      this.abort(new UpstreamError('cut', message));
    }
  }

  private finish(tell: () => void): void {
    if (this.over) return;
    this.over = true;
    this.decoder?.destroy();
    tell();
  }
}
