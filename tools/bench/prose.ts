/** Answer-like text: sentences and paragraphs of common words that never repeat, the same in every run. */

const WORDS = (
  'the of and to in is that it for on with as are this be at by from or an not can you we have was will more one ' +
  'all which their has when if they but there use about also time other how first your would each new most only its ' +
  'into some then these two than could data function value file line code test error result state event stream model ' +
  'because system change number between should after before while where through still might every without between ' +
  'request response server client message queue record offset partition consumer producer detector window pattern ' +
  'repeat session prompt turn answer reason carefully slowly quickly usually perhaps probably therefore however ' +
  'implementation configuration performance memory latency throughput boundary interface contract incident evidence ' +
  'starts ends grows shrinks keeps drops reads writes sends waits checks compares counts measures explains describes'
).split(' ');

/** A small random number generator (mulberry32): the bench must be the same in every run. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** `size` units of prose. */
export function prose(size: number, seed = 1): string {
  const random = randomNumbers(seed);
  const parts: string[] = [];
  for (let length = 0, inSentence = 0, sentences = 0; length < size; ) {
    // Squaring prefers the head of the list, as language prefers common words.
    let word = WORDS[Math.floor(random() ** 2 * WORDS.length)] ?? '';
    if (inSentence === 0) word = word.charAt(0).toUpperCase() + word.slice(1);
    inSentence += 1;
    if (inSentence > 6 && random() < 0.15) {
      inSentence = 0;
      sentences += 1;
      word += sentences % 5 === 0 ? '.\n\n' : '. ';
    } else {
      word += random() < 0.08 ? ', ' : ' ';
    }
    parts.push(word);
    length += word.length;
  }
  return parts.join('').slice(0, size);
}

const UNITS_PER_EVENT = 8;

/** A piece of a session's text, which begins at unit `from` of it, as `content` events of eight units. */
export function contentEvents(text: string, sessionId: string, from = 0): ContentEvent[] {
  const events: ContentEvent[] = [];
  for (let i = 0; i < text.length; i += UNITS_PER_EVENT) {
    const index = (from + i) / UNITS_PER_EVENT;
    const id = `${sessionId}-${String(index)}`;
    const time = 1_760_000_000_000 + index * 20;
    events.push({ id, sessionId, text: text.slice(i, i + UNITS_PER_EVENT), time, type: 'content' });
  }
  return events;
}

/** A type and not an interface, so that it fits the contract's open objects. */
export type ContentEvent = {
  readonly id: string;
  readonly sessionId: string;
  readonly text: string;
  readonly time: number;
  readonly type: 'content';
};
