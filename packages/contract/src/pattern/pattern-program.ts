/** A state of a search, and the states that it leads to, by their place in the program. */
export interface PatternState {
  /** Of a character: for each one of ASCII, whether it is meant. */
  readonly ascii: readonly boolean[] | null;
  /** Of a character: whether one beyond ASCII is meant. */
  readonly pattern: RegExp | null;
  /** Of a character: which one, where there is only one. */
  readonly literal: string;
  /** Begin or end of the text that has to be here, `^` or `$`; of a word, `b`; or neither of it, `B`. */
  readonly edge: string;
  next: number;
  /** What is tried if `next` leads nowhere; -1 where that is all. */
  other: number;
  /** A number from 0, of a state that more than one leads to; else -1. */
  mark: number;
}

/** A pattern as a search goes through it, from `start` to the first state of the list, where it is found. */
export interface PatternProgram {
  readonly states: readonly PatternState[];
  readonly start: number;
  /** How many states carry a mark. */
  readonly marks: number;
  /** What each match begins with; may be empty. */
  readonly prefix: string;
}

/** A part of a pattern that is put together from its end to its beginning. */
export interface PatternPart {
  /** How many states it takes: repetitions with bounds are written out. */
  readonly size: number;
  /** Whether it can match without a character. */
  readonly isEmpty: boolean;
  /** Adds its states to the program. @returns where it begins; it goes on at `next` */
  readonly link: (states: PatternState[], next: number) => number;
}

function add(states: PatternState[], own: Partial<PatternState> & { next: number }): number {
  return states.push({ ascii: null, pattern: null, literal: '', edge: '', other: -1, mark: -1, ...own }) - 1;
}

/** @param source a regular expression that matches one character; @param literal which, where it is only one */
export function characterPart(source: string, literal = ''): PatternPart {
  const pattern = new RegExp(`^${source}$`, 'u');
  const link: PatternPart['link'] = (states, next) => {
    const ascii = Array.from({ length: 128 }, (_, code) => pattern.test(String.fromCharCode(code)));
    return add(states, { ascii, pattern, literal, next });
  };
  return { size: 1, isEmpty: false, link };
}

export function edgePart(edge: string): PatternPart {
  return { size: 1, isEmpty: true, link: (states, next) => add(states, { edge, next }) };
}

export function sequencePart(parts: readonly PatternPart[]): PatternPart {
  return {
    size: sizeOf(parts),
    isEmpty: parts.every(({ isEmpty }) => isEmpty),
    link: (states, next) => parts.reduceRight((after, { link }) => link(states, after), next),
  };
}

export function choicePart(parts: readonly PatternPart[]): PatternPart {
  return {
    size: sizeOf(parts),
    isEmpty: parts.some(({ isEmpty }) => isEmpty),
    link: (states, next) =>
      parts
        .map(({ link }) => link(states, next))
        .reduceRight((other, one) => add(states, { next: one, other })),
  };
}

export function repeatPart(part: PatternPart, min: number, max: number, isLazy: boolean): PatternPart {
  const { size, isEmpty, link } = part;
  return {
    size: (size + 1) * (max === Infinity ? min + 1 : max),
    isEmpty: isEmpty || min === 0,
    link: (states, next) => {
      const fork = (more: number) => (isLazy ? { next, other: more } : { next: more, other: next });
      let start = next;
      if (max === Infinity) {
        start = add(states, { next });
        const loop = states[start];
        if (loop) Object.assign(loop, fork(link(states, start)));
      } else {
        for (let times = min; times < max; times += 1) start = add(states, fork(link(states, start)));
      }
      for (let times = 0; times < min; times += 1) start = link(states, start);
      return start;
    },
  };
}

function sizeOf(parts: readonly PatternPart[]): number {
  return parts.reduce((sum, { size }) => sum + size + 1, 0);
}

export function programOf(part: PatternPart): PatternProgram {
  const states: PatternState[] = [];
  add(states, { next: 0 });
  const start = part.link(states, 0);
  let marks = 0;
  const reached = new Set([0]);
  for (const at of [start, ...states.flatMap(({ next, other }) => [next, other])]) {
    const state = states[at];
    if (at > 0 && reached.has(at) && state !== undefined && state.mark < 0) state.mark = marks++;
    reached.add(at);
  }
  let prefix = '';
  // Edges take no room, so what follows them is what a match begins with.
  let state = states[start];
  while (state !== undefined && (state.literal !== '' || state.edge !== '')) {
    prefix += state.literal;
    state = states[state.next];
  }
  return { states, start, marks, prefix };
}
