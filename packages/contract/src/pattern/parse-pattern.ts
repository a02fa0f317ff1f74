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

/** Patterns with more states are rejected. */
const MAX_SIZE = 1000;

export type ParsedPattern =
  | { readonly ok: true; readonly program: PatternProgram }
  /** `why` names the position and the cause of the error, and what to write instead. */
  | { readonly ok: false; readonly why: string };

/**
 * Parses a user's regular expression: JavaScript syntax with flag `u`, without features that need backtracking
 * (lookaround, backreferences). Also accepts escapes that only flag `u` rejects, such as `\-` and `\_`.
 */
export function parsePattern(text: string): ParsedPattern {
  // Only newer versions of JavaScript accept flags, and only of a group.
  const flags = text.search(/(?<!\\)\(\?[a-z-]+[:)]/i);
  if (flags >= 0) {
    const why = `has flags at character ${String(flags + 1)}, which are not supported: write both cases, as in [aA]`;
    return { ok: false, why };
  }
  try {
    RegExp(text);
  } catch (error) {
    return {
      ok: false,
      why: `is not a valid regular expression: ${(error as Error).message.replace(/^.*: /, '')}`,
    };
  }
  const { pattern, fault } = read(text);
  if (fault !== '') return { ok: false, why: fault };
  const { isEmpty, size } = pattern;
  if (isEmpty) return { ok: false, why: 'matches empty text: write + instead of *' };
  if (size <= MAX_SIZE) return { ok: true, program: programOf(pattern) };
  const why = `has ${String(size)} states, more than ${String(MAX_SIZE)}: write + or use smaller numbers`;
  return { ok: false, why };
}

/** Escapes with a meaning: a set, a control character, a character code. */
const MEANINGFUL = /^\\(?:[dDwWsSnrtvf0]|.{2})/su;
const ESCAPE = /\\(?:u\{[^}]*\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|c[A-Za-z]|[pP]\{[^}]*\}|.)/su;
const CLASS_PART = new RegExp(`${ESCAPE.source}|.`, 'gsu');
const SET = /^\\[dDwWsSpP]/;
/** The characters that can be escaped under flag `u`. */
const SYNTAX = '^$\\.*+?()[]{}|/';

/** @param text valid in JavaScript: its brackets are balanced, and its quantifiers have something to repeat */
function read(text: string): { pattern: PatternPart; fault: string } {
  let at = 0;
  let fault = '';

  function fail(what: string, why: string): void {
    fault ||= `has ${what} at character ${String(at + 1)}, ${why}`;
  }

  function consume(pattern: RegExp): RegExpExecArray | null {
    const found = pattern.exec(text.slice(at));
    if (found?.index !== 0) return null;
    at += found[0].length;
    return found;
  }

  function choice(): PatternPart {
    const options: PatternPart[] = [];
    do options.push(sequence());
    while (consume(/^\|/));
    return choicePart(options);
  }

  function sequence(): PatternPart {
    const parts: PatternPart[] = [];
    while (at < text.length && !/[|)]/.test(text.charAt(at))) parts.push(repeated(atom()));
    return sequencePart(parts);
  }

  function repeated(part: PatternPart): PatternPart {
    const found = consume(/^(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})(\??)/);
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
    const [one = ''] = consume(/^./su) ?? [];
    if (/[$^]/.test(one)) return edgePart(one);
    return one === '.' ? characterPart(one) : literal(one);
  }

  function group(): PatternPart {
    const around = /^\(\?<?[=!]/.exec(text.slice(at));
    if (around) fail(around[0], 'which is lookaround and not supported: write only what should match');
    consume(/^\((?:\?(?::|<?[=!]|<[^>]*>))?/);
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
    if (/[1-9k]/.test(letter))
      fail(escaped, 'which is a backreference and not supported: write out what it refers to');
    else if (/[A-Za-z]/.test(letter))
      fail(escaped, `which is not a known escape: write ${letter} for the letter`);
    at += escaped.length;
    return literal(escaped.slice(1));
  }

  /** Finds the end of the class and rewrites its escapes for flag `u`; JavaScript then matches it. */
  function characterClass(): PatternPart {
    const [all = ''] = /^\[(?:[^\]\\]|\\.)*\]/su.exec(text.slice(at)) ?? [];
    const parts = all.slice(1, -1).match(CLASS_PART) ?? [];
    const inner = parts.map((part, i) => {
      // Next to a set of characters, `-` cannot mean a range.
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
      fail(written, 'which is invalid in JavaScript with flag u');
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
