import { normalizeText } from './lex-result.ts';
import type { CallText } from './strip-echoed-args.ts';

/** What a harness names in a line of its own. */
const SHOWN =
  'tool|function|action|call|execution|seq|observations?|results?|outputs?|response|reply|returned';
const NOUN = new RegExp(`\\b(?:${SHOWN})\\b`, 'i');
/** A run of it counts if it also has an id or a duration: the number of a step alone may be the answer. */
const RUNS =
  'run|attempt|step|turn|iteration|command|process|executed|completed|finished|took|exit(?:ed)?(?: code)?[: ]+0';
const RUN = new RegExp(`\\b(?:${RUNS})\\b.*(?:\\d[a-f]|[a-f]\\d|\\d{5}|\\d ?m?s(?:ec|\\b))`, 'i');
const WORDS = new RegExp(
  `\\b(?:${SHOWN}|${RUNS}|begin|end|of|for|from|in|the|after|done|id|n[or]\\.?(?= ?#?\\d)|m?s|sec(?:ond)?s?|(?=\\w*\\d)\\w+)\\b`,
  'gi',
);
/** Data, how far something has come, or how much there is. */
const ANSWERS = /["'{}<]|\d ?(?:of|\/) ?\d|\d (?:result|output|call|action|response)s\b/i;
/** `Result: the train leaves at noon` is what the tool says. */
const LABELS = /[\n\d]|observ|tool|ction/i;
const FENCED = /^```\w*\n([^`]*)\n```\s*$/;

const EDGE_UNITS = 160;
const HEADING = /^\s*(\S[^\n]{0,99}\n)\s*(?=\S)/;
/** Two first lines, what stands in front on the next, and the last line. */
const EDGES = [
  HEADING,
  HEADING,
  /^\s*([[(<{#*|][^\n]{0,40}?[\])>}|]|[^\n:]{1,60}:)[ \t]+(?=\S)/,
  /(\n[^\n]{1,100})\s*$/,
];
const LAST = 3;

/** How often a line must have come from another tool than before. */
const SWITCHES = 2;
const DIGIT = /\d/;
const VALUE = /[a-f-]{0,12}\d[\da-f:.-]*/gi;
/** What a result says, even if every one says so. */
const TELLS = /fail|pass|left|score/i;

export interface SeenLine {
  /** The line without its values. */
  readonly template: string;
  readonly values: string;
  readonly by: string;
  readonly switches: number;
}

const NO_FRAME: SeenLine = { template: '', values: '', by: '', switches: 0 };

/** Whether a line consists of the words of a harness, the name of the tool, and numbers: `--- Result of step 12 ---`. */
export function isFrameLine(line: string, tool: string): boolean {
  const plain = (tool === '' ? line : line.replaceAll(tool, ' tool ')).replaceAll('_', ' ');
  if (ANSWERS.test(plain) || !LABELS.test(plain) || !(NOUN.test(plain) || RUN.test(plain))) return false;
  return !/\p{L}/u.test(plain.replace(WORDS, ''));
}

/**
 * Takes off a result what a harness writes around it: lines of its own words, and, whatever its words, what it is seen to
 * write around every result of the session. That is a first or last line that comes with the results of several tools in
 * turn, with values that differ each time and counts that go up.
 */
export class ResultFrames {
  /** By their place. */
  seen: SeenLine[] = [];

  without(text: string, { name, runs, said }: CallText): string {
    // Of commands, other ones are other tools.
    const by = runs === true ? String(said.length) : name;
    let rest = text;
    for (const [i, form] of EDGES.entries()) {
      const edge = i === LAST ? rest.slice(-EDGE_UNITS) : rest.slice(0, EDGE_UNITS);
      const [whole = '', line = ''] = form.exec(edge) ?? [];
      const inner = i === LAST ? rest.slice(0, rest.length - whole.length) : rest.slice(whole.length);
      if ((this.#isLearned(i, line, by) || isFrameLine(line, name)) && inner !== '') rest = inner;
    }
    return FENCED.exec(rest)?.[1] ?? rest;
  }

  #isLearned(edge: number, line: string, by: string): boolean {
    const before = this.seen[edge];
    const isKnown = before?.switches === SWITCHES;
    // Most lines have no value, and so are no frame.
    if (!DIGIT.test(line)) {
      if (!isKnown) this.seen[edge] = NO_FRAME;
      return false;
    }
    // What is folded anyway, such as a duration, hides nothing.
    const plain = normalizeText(line);
    const template = plain.replace(VALUE, '#');
    const isSame = before?.template === template;
    if (isKnown) return isSame;
    const values = (plain.match(VALUE) ?? []).join(' ');
    const goesOn = isSame && values !== '' && !TELLS.test(line) && rises(before.values, values);
    const isOther = before?.values !== values && before?.by !== by;
    const switches = goesOn ? before.switches + Number(isOther) : 0;
    this.seen[edge] = { template, values, by, switches };
    return switches === SWITCHES;
  }
}

/** Whether no count among these values has fallen. */
function rises(before: string, values: string): boolean {
  const old = before.split(' ').map(Number);
  return !values.split(' ').some((value, i) => Number(value) < (old[i] ?? 0));
}
