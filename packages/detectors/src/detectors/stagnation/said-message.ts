import type { Mark } from '../../calls/mark.ts';
import { fingerprint } from '../../lib/digest.ts';
import { lexResult } from '../../results/lex-result.ts';
import { type Bulk, bulkOf, type Comparable, isAlike } from '../../results/sameness.ts';

/** Emphasis, pictures, and units without a width: they change how a text looks. */
const LOOKS = /[*`]{1,3}|\p{Cf}|\p{Extended_Pictographic}/gu;
const QUOTES = /[\u2018\u2019\u201C\u201D"]/g;
const DASHES = /[\u2010-\u2015]/g;

/** A message of an agent. Its text is stored until it is compared: few messages follow another without a call. */
export class SaidMessage {
  readonly mark: Mark;
  #text: string;
  #reading: Comparable | null = null;

  constructor(mark: Mark, agent: string, text: string) {
    this.mark = mark;
    this.#text = `${agent}\n${text}`;
  }

  static restored({ mark, key, bulk }: SaidSnapshot): SaidMessage {
    const message = new SaidMessage(mark, '', '');
    message.#reading = { form: key, bulk: bulk ?? null, kind: 'ok' };
    return message;
  }

  /** How much of this message the one before it has said, by the degrees in which results are the same. */
  sameness(before: SaidMessage): 'equal' | 'alike' | 'different' {
    const [old, now] = [before.reading, this.reading];
    if (old.form === now.form) return 'equal';
    return isAlike(old, now) ? 'alike' : 'different';
  }

  get reading(): Comparable {
    this.#reading ??= readingOf(this.#text);
    this.#text = '';
    return this.#reading;
  }

  snapshot(): SaidSnapshot {
    const { form: key, bulk } = this.reading;
    return { mark: this.mark, key, ...(bulk !== null && { bulk }) };
  }
}

export interface SaidSnapshot {
  readonly mark: Mark;
  readonly key: string;
  readonly bulk?: Bulk;
}

function readingOf(text: string): Comparable {
  const plain = text
    .normalize('NFKC')
    .replace(LOOKS, '')
    .replace(QUOTES, "'")
    .replace(DASHES, '-')
    .toLowerCase();
  const lexed = lexResult(plain, { isError: false });
  return { form: fingerprint(lexed.normal), bulk: bulkOf(lexed, 'ok'), kind: 'ok' };
}
