/** Prose made of sentences by a seed, sound and degenerate: what has fallen into a rut comes behind some that has not. */

const nouns =
  'river window ledger anchor copper garden signal harbor lantern meadow orbit pepper quarry ribbon saddle timber velvet walnut zephyr bridge candle dragon engine falcon glacier hammer island jacket kettle ladder teacher doctor village soldier student farmer painter lawyer'.split(
    ' ',
  );
const verbs =
  'opens closes builds carries lifts paints counts tests finds keeps loses marks moves names orders packs reads sends sorts traces turns washes weighs wraps'.split(
    ' ',
  );
const adjectives =
  'old new small quiet bright heavy gentle broken famous hidden simple distant modern narrow rapid silent wooden'.split(
    ' ',
  );
const syllables = 'ba de fi go lu mar ner pol ris ton ver zan'.split(' ');

interface Maker {
  /** A whole number below a limit. */
  readonly below: (limit: number) => number;
  readonly one: <T>(of: readonly T[]) => T;
  /** A word that is mostly new. */
  readonly word: () => string;
  readonly sentence: () => string;
}

function maker(seed: number): Maker {
  let state = seed;
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
  const one = <T>(of: readonly T[]): T => of[below(of.length)] as T;
  const noun = (): string => one(nouns);
  const verb = (): string => one(verbs);
  const adjective = (): string => one(adjectives);
  const forms = [
    () => `The ${adjective()} ${noun()} of the ${noun()} ${verb()} the ${adjective()} ${noun()}.`,
    () =>
      `In the ${noun()} there is a ${adjective()} ${noun()} that ${verb()} every ${noun()} and ${verb()} the ${noun()}.`,
    () => `It is the ${noun()} that ${verb()} the ${adjective()} ${noun()} when the ${noun()} comes.`,
    () =>
      `Nobody ${verb()} a ${noun()} without the ${adjective()} ${noun()}, and the ${noun()} ${verb()} it.`,
    () => `When a ${adjective()} ${noun()} ${verb()} the ${noun()}, we ${verb()} the ${noun()}.`,
  ];
  return {
    below,
    one,
    word: () => one(syllables) + one(syllables) + one(syllables),
    sentence: () => one(forms)(),
  };
}

function fill(size: number, piece: () => string): string {
  const parts: string[] = [];
  for (let length = 0; length < size; ) {
    const part = piece();
    parts.push(part);
    length += part.length;
  }
  return parts.join('');
}

const many = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

/** Sentences of a stock, drawn or dealt; of `fresh` of them one is new, if that is not 0. */
function fromStock(size: number, make: Maker, count: number, dealt = false, fresh = 0): string {
  const stock = many(count, make.sentence);
  return fill(size, () => {
    if (fresh > 0 && make.below(fresh) === 0) return `${make.sentence()} `;
    if (!dealt) return `${make.one(stock)} `;
    const order = stock.map((sentence) => ({ sentence, key: make.below(1e9) }));
    return order
      .toSorted((a, b) => a.key - b.key)
      .map(({ sentence }) => `${sentence} `)
      .join('');
  });
}

/** Two sentences in one, in which the words at two places far apart change; each comes out of so many, or is new. */
function twoWords(size: number, make: Maker, count: number): string {
  const words = `${make.sentence().replace('.', ', and')} ${make.sentence()}`.split(' ');
  const half = Math.floor(words.length / 2);
  const first = 1 + make.below(half - 2);
  const second = half + 1 + make.below(half - 2);
  const [ones, others] = [many(count, make.word), many(count, make.word)];
  const changing = (stock: readonly string[]): string => (count === 0 ? make.word() : make.one(stock));
  return fill(
    size,
    () =>
      `${words.map((word, n) => (n === first ? changing(ones) : n === second ? changing(others) : word)).join(' ')} `,
  );
}

/** A paragraph with numbers that follow no step. */
function numbers(size: number, make: Maker, count: number, end: string): string {
  const sentences = many(count, () => make.sentence().split(' '));
  const places = sentences.map(({ length }) => 1 + make.below(length - 2));
  return fill(
    size,
    () =>
      sentences
        .map((words, i) =>
          words.map((word, n) => (n === places[i] ? `${word} ${String(make.below(9000))}` : word)).join(' '),
        )
        .join(' ') + end,
  );
}

/** Sentences in each of which two words have some others that may stand for them. */
function reworded(size: number, make: Maker, count: number): string {
  const sentences = many(count, () => {
    const words = make.sentence().split(' ');
    const places = many(2, () => 1 + make.below(words.length - 2));
    const others = many(4, make.word);
    return () => words.map((word, n) => (places.includes(n) ? make.one(others) : word)).join(' ');
  });
  return fill(size, () => `${make.one(sentences)()} `);
}

export interface ProseKind {
  readonly name: string;
  readonly make: (seed: number, size: number) => string;
}

const kind = (name: string, rut: (size: number, make: Maker) => string): ProseKind => ({
  name,
  make(seed, size) {
    const make = maker(seed);
    return `${many(6, make.sentence).join(' ')}\n\n${rut(size, make)}`;
  },
});

export const degenerateProse: readonly ProseKind[] = [
  kind('a paragraph with irregular numbers', (size, make) => numbers(size, make, 3 + make.below(3), '\n\n')),
  kind('two sentences with irregular numbers', (size, make) => numbers(size, make, 2, ' ')),
  kind('five sentences in any order', (size, make) => fromStock(size, make, 5)),
  kind('ten sentences in any order', (size, make) => fromStock(size, make, 10)),
  kind('six sentences in changing order', (size, make) => fromStock(size, make, 6, true)),
  kind('fifteen sentences in changing order', (size, make) => fromStock(size, make, 15, true)),
  kind('ten sentences in any order, with new ones in between', (size, make) =>
    fromStock(size, make, 10, false, 12),
  ),
  kind('two changing words at different positions, out of twelve', (size, make) => twoWords(size, make, 12)),
  kind('two changing words at different positions, out of eighty', (size, make) => twoWords(size, make, 80)),
  kind('two new words at different positions', (size, make) => twoWords(size, make, 0)),
  kind('six sentences, reworded', (size, make) => reworded(size, make, 6)),
];

export const soundProse: readonly ProseKind[] = [
  kind('sentences of few words', (size, make) => fill(size, () => `${make.sentence()} `)),
  kind('facts with the same pattern', (size, make) =>
    fill(Math.min(size, 2500), () => `The capital of ${make.word()} is ${make.word()}. `),
  ),
  kind('a report with figures in the same pattern', (size, make) =>
    fill(
      Math.min(size, 3000),
      () =>
        `${make.word()} sold ${String(make.below(900))} units in ${make.word()}, which is ${String(make.below(40))} % more than the year before. ${make.sentence()} `,
    ),
  ),
  kind('an answer given twice', (size, make) => {
    const answer = fill(Math.min(size, 2000), () => `${make.sentence()} `);
    return `${answer}\n\nIn short, what comes next is the corrected version.\n\n${answer.replaceAll('river', 'stream')}`;
  }),
  kind('the same letter to four people', (size, make) => {
    const letter = many(6, make.sentence).join(' ');
    return many(4, () => `Dear ${make.word()},\n\n${letter}\n\nYours, ${make.word()}.\n\n`).join('');
  }),
];

/** A passage that comes again and again, with nothing, a word or more in between. */
export function refrain(seed: number): string {
  const make = maker(seed);
  const passage = many(1 + make.below(3), make.sentence).join(' ');
  const [times, most] = [13 + make.below(15), make.below(10)];
  const between = (): string => (most === 0 ? '' : `${many(1 + make.below(most), make.word).join(' ')}. `);
  const begun = many(make.below(6), () => `${make.sentence()} `).join('');
  return begun + many(times, () => `${passage} ${between()}`).join('');
}
