import type { AnswerTaker } from './answer-taker.ts';
import type { UpstreamError } from './http/upstream-error.ts';
import type { Outcome } from './metrics.ts';

/** Of an answer's beginning, as much as tells what it is. */
const ENOUGH_BYTES = 8;
const eventStream = /^(?:data|event|id|retry)?:/;

/** What an answer is by its first bytes. */
export type AnswerForm = 'stream' | 'json' | 'other';

/** An answer whose content type does not say what it is: its first bytes do. */
export class SniffedAnswer implements AnswerTaker {
  private readonly takerOf: (form: AnswerForm) => AnswerTaker;
  private held: Buffer[] = [];
  private bytes = 0;
  private taker: AnswerTaker | undefined;

  constructor(takerOf: (form: AnswerForm) => AnswerTaker) {
    this.takerOf = takerOf;
  }

  data(chunk: Buffer): void {
    if (this.taker !== undefined) {
      this.taker.data(chunk);
      return;
    }
    this.held.push(chunk);
    this.bytes += chunk.length;
    if (this.bytes >= ENOUGH_BYTES) this.decide();
  }

  end(): Promise<Outcome> | Outcome {
    return this.decide().end();
  }

  failed(error: UpstreamError): Promise<Outcome> | Outcome {
    return this.decide().failed(error);
  }

  private decide(): AnswerTaker {
    if (this.taker !== undefined) return this.taker;
    const taker = this.takerOf(formOf(Buffer.concat(this.held)));
    this.taker = taker;
    for (const chunk of this.held) taker.data(chunk);
    this.held = [];
    return taker;
  }
}

function formOf(beginning: Buffer): AnswerForm {
  const text = beginning
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart();
  if (text.startsWith('{')) return 'json';
  return eventStream.test(text) ? 'stream' : 'other';
}
