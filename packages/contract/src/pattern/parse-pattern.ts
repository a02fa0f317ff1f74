import {
  characterPart,
  choicePart,
  edgePart,
  type PatternPart,
  type PatternProgram,
  programOf,
  repeatPart,
  sequencePart,
} from './pattern-program.ts';

/** A pattern that takes more states is refused. */
const MAX_SIZE = 1000;

export type ParsedPattern =
  | { readonly ok: true; readonly program: PatternProgram }
  /** Says where the fault is, why it is one, and what to write instead. */
  | { readonly ok: false; readonly why: string };

/**
 * Reads a regular expression of a user: what JavaScript takes with flag `u`, without what needs backtracking (looks ahead
 * and behind, back references). Escapes that flag `u` alone refuses, such as `\-` and `\_`, are taken.
 */
export function parsePattern(text: string): ParsedPattern {
  try {
    RegExp(text);
  } catch (error) {
    return { ok: false, why: `is no regular expression: ${(error as Error).message.replace(/^.*: /, '')}` };
  }
  const { pattern, fault } = read(text);
  if (fault !== '') return { ok: false, why: fault };
  const { isEmpty, size } = pattern;
  if (isEmpty) return { ok: false, why: 'matches the empty text too: write + in place of *' };
  if (size <= MAX_SIZE) return { ok: true, program: programOf(pattern) };
  const why = `takes ${String(size)} places written out, of at most ${String(MAX_SIZE)}: write + or smaller numbers`;
  return { ok: false, why };
}

/** Letters that mean something behind a backslash: a set, a control character, a character by its number. */
const MEANINGFUL = /^\\(?:[dDwWsSnrtvf0]|.{2})/su;
const ESCAPE = /\\(?:u\{[^}]*\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|c[A-Za-z]|[pP]\{[^}]*\}|.)/su;
const CLASS_PART = new RegExp(`${ESCAPE.source}|.`, 'gsu');
const SET = /^\\[dDwWsSpP]/;
/** What a backslash may stand before under flag `u`. */
const SYNTAX = '^$\\.*+?()[]{}|/';

/**
 * The text is a regular expression already, by JavaScript's own word: its brackets close, and its quantifiers have something to
 * repeat.
 */
function read(text: string): { pattern: PatternPart; fault: string } {
  let at = 0;
  let fault = '';

  function fail(what: string, why: string): void {
    fault ||= `has ${what} at character ${String(at + 1)}, ${why}`;
  }

  function take(pattern: RegExp): RegExpExecArray | null {
    const found = pattern.exec(text.slice(at));
    if (found?.index !== 0) return null;
    at += found[0].length;
    return found;
  }

  function choice(): PatternPart {
    const options: PatternPart[] = [];
    do options.push(sequence());
    while (take(/^\|/));
    return choicePart(options);
  }

  function sequence(): PatternPart {
    const parts: PatternPart[] = [];
    while (at < text.length && !/[|)]/.test(text.charAt(at))) parts.push(repeated(atom()));
    return sequencePart(parts);
  }

  function repeated(part: PatternPart): PatternPart {
    const found = take(/^(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})(\??)/);
    if (found === null) return part;
    const [all, from, comma, to, lazy] = found;
    const sign = all.charAt(0);
    const min = Number(from ?? (sign === '+' ? 1 : 0));
    const max =
      from === undefined ? (sign === '?' ? 1 : Infinity) : comma === undefined ? min : Number(to || Infinity);
    return repeatPart(part, min, max, lazy === '?');
  }

  function atom(): PatternPart {
    if (text.charAt(at) === '(') return group();
    if (text.charAt(at) === '[') return characterClass();
    if (text.charAt(at) === '\\') return escape();
    const [one = ''] = take(/^./su) ?? [];
    if (/[$^]/.test(one)) return edgePart(one);
    return one === '.' ? characterPart(one) : literal(one);
  }

  function group(): PatternPart {
    const around = /^\(\?<?[=!]/.exec(text.slice(at));
    if (around) fail(around[0], 'which looks at what stands around a match: write only what is to match');
    else if (/^\(\?[^:<]/.test(text.slice(at)))
      fail('flags', 'which are not taken: write both cases, as in [aA]');
    take(/^\((?:\?(?::|<?[=!]|<[^>]*>|[^)]))?/);
    const inner = choice();
    at += 1;
    return inner;
  }

  function escape(): PatternPart {
    const [escaped = ''] = ESCAPE.exec(text.slice(at)) ?? [];
    const letter = escaped.charAt(1);
    if (/[bB]/.test(letter)) {
      at += 2;
      return edgePart(letter);
    }
    if (MEANINGFUL.test(escaped)) return character(escaped, escaped);
    if (/[1-9k]/.test(letter)) fail(escaped, 'which refers back to a group: write out what it stands for');
    else if (/[A-Za-z]/.test(letter))
      fail(escaped, `which means nothing: write ${letter} if the letter is meant`);
    at += escaped.length;
    return literal(escaped.slice(1));
  }

  /** Its extent, with its escapes as flag `u` wants them; what it matches is left to JavaScript. */
  function characterClass(): PatternPart {
    const [all = ''] = /^\[(?:[^\]\\]|\\.)*\]/su.exec(text.slice(at)) ?? [];
    const parts = all.slice(1, -1).match(CLASS_PART) ?? [];
    const inner = parts.map((part, i) => {
      // Beside a set of characters it cannot mean a range.
      if (part === '-') return SET.test(parts[i - 1] ?? '') || SET.test(parts[i + 1] ?? '') ? '\\-' : part;
      const isNeedless = /^\\[^A-Za-z0-9-]/su.test(part) && !SYNTAX.includes(part.slice(1));
      return isNeedless ? part.slice(1) : part;
    });
    return character(all, `[${inner.join('')}]`);
  }

  function character(written: string, source: string): PatternPart {
    try {
      return characterPart(source);
    } catch {
      fail(written, 'which is not clear: write it as JavaScript takes it with flag u');
      return characterPart('.');
    } finally {
      at += written.length;
    }
  }

  const pattern = choice();
  return { pattern, fault };
}

function literal(character: string): PatternPart {
  return characterPart(SYNTAX.includes(character) ? `\\${character}` : character, character);
}
