/** A state of the search, and the indexes of the states that follow it. */
export interface PatternState {
  /** For a character state: whether it matches, by ASCII code. */
  readonly ascii: readonly boolean[] | null;
  /** For a character state: matches characters beyond ASCII. */
  readonly pattern: RegExp | null;
  /** For a character state that matches only one: that character. */
  readonly literal: string;
  /** For an assertion: `^`, `$`, `b` (word boundary) or `B` (none); else empty. */
  readonly edge: string;
  next: number;
  /** The alternative if `next` fails; -1 for none. */
  other: number;
  /** Number of a state with several predecessors, from 0; else -1. */
  mark: number;
}

/** A compiled pattern. The search runs from `start` to state 0, which is a match. */
export interface PatternProgram {
  readonly states: readonly PatternState[];
  readonly start: number;
  /** Number of states with a mark. */
  readonly marks: number;
  /** Literal start of every match; may be empty. */
  readonly prefix: string;
}

/** A part of a pattern. Parts are linked from the end of the pattern to its start. */
export interface PatternPart {
  /** Number of states; bounded repetitions are expanded. */
  readonly size: number;
  /** Whether it can match without a character. */
  readonly isEmpty: boolean;
  /** Adds its states to the program, followed by `next`. @returns its first state */
  readonly link: (states: PatternState[], next: number) => number;
}

function add(states: PatternState[], own: Partial<PatternState> & { next: number }): number {
  return states.push({ ascii: null, pattern: null, literal: '', edge: '', other: -1, mark: -1, ...own }) - 1;
}

/** @param source a regular expression that matches one character @param literal that character, if there is only one */
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
  // Assertions match no characters, so the states after them start the match.
  let state = states[start];
  while (state !== undefined && (state.literal !== '' || state.edge !== '')) {
    prefix += state.literal;
    state = states[state.next];
  }
  return { states, start, marks, prefix };
}
