import type { Framing } from '../api/framing.ts';
import type { UpstreamError } from '../http/upstream-error.ts';
import type { RequestOutcome } from '../metrics.ts';
import type { Exchange } from './exchange.ts';

/** Handles the body of a reply once status and headers are known. */
export interface ReplyHandler {
  data(chunk: Buffer): void;
  end(): Promise<RequestOutcome> | RequestOutcome;
  failed(error: UpstreamError): Promise<RequestOutcome> | RequestOutcome;
}

/** Forwards a reply unchanged: an error of the upstream, or one that cannot be parsed. */
export class UnchangedReply implements ReplyHandler {
  readonly #exchange: Exchange;
  readonly #isSuccess: boolean;

  constructor(exchange: Exchange, isSuccess: boolean) {
    this.#exchange = exchange;
    this.#isSuccess = isSuccess;
  }

  data(chunk: Buffer): void {
    this.#exchange.client.write(chunk);
  }

  end(): RequestOutcome {
    const { client, request } = this.#exchange;
    client.end();
    // After an error the client may send the same request again.
    if (!this.#isSuccess) request.session.onReplyLost();
    return 'passed';
  }

  failed(error: UpstreamError): RequestOutcome {
    return this.#exchange.fail(error);
  }
}

const blanks = Buffer.from(' \t\r\n');

/** Whether a chunk before a reply only keeps the connection alive, as the empty lines of DeepSeek. */
export function isBlank(chunk: Buffer): boolean {
  return chunk.every((byte) => blanks.includes(byte));
}

/** Bytes needed to recognize the form of a reply. */
const SNIFFED_BYTES = 8;

/** The form of a reply, judging by its first bytes. */
export type ReplyForm = 'stream' | 'json' | 'other';

/** Chooses the handler of a reply by its first bytes, where the content type does not tell its form. */
export class SniffedReply implements ReplyHandler {
  readonly #handlerFor: (form: ReplyForm) => ReplyHandler;
  readonly #framing: Framing;
  #held: Buffer[] = [];
  #bytes = 0;
  #handler: ReplyHandler | undefined;

  constructor(framing: Framing, handlerFor: (form: ReplyForm) => ReplyHandler) {
    this.#framing = framing;
    this.#handlerFor = handlerFor;
  }

  data(chunk: Buffer): void {
    if (this.#handler !== undefined) {
      this.#handler.data(chunk);
      return;
    }
    this.#held.push(chunk);
    if (this.#bytes > 0 || !isBlank(chunk)) this.#bytes += chunk.length;
    if (this.#bytes >= SNIFFED_BYTES) this.#choose();
  }

  end(): Promise<RequestOutcome> | RequestOutcome {
    return this.#choose().end();
  }

  failed(error: UpstreamError): Promise<RequestOutcome> | RequestOutcome {
    return this.#choose().failed(error);
  }

  #choose(): ReplyHandler {
    if (this.#handler !== undefined) return this.#handler;
    const handler = this.#handlerFor(formOf(Buffer.concat(this.#held), this.#framing));
    this.#handler = handler;
    for (const chunk of this.#held) handler.data(chunk);
    this.#held = [];
    return handler;
  }
}

function formOf(start: Buffer, framing: Framing): ReplyForm {
  const text = start
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart();
  if (text.startsWith('{')) return 'json';
  return framing.start.test(text) ? 'stream' : 'other';
}
