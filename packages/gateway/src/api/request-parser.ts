import { randomUUID } from 'node:crypto';
import type { Json } from './conversation.ts';
import { isObject, parseObject } from './json.ts';
import { historyStart, nextElement } from './json-scanner.ts';
import { KnownRequests, type ParsedBody } from './known-requests.ts';

/** Shorter requests are parsed faster than they are looked up. */
const MIN_BYTES = 4_096;
/** Placeholder for the history while the rest of a request is parsed. */
const MARK = randomUUID();
const MARKED_LIST = Buffer.from(JSON.stringify([MARK]));

/**
 * Parses requests; if a request continues an earlier one, parses only the new part. An agent repeats its whole history
 * with each request, as the same bytes. The history's unchanged elements are the same objects as in the earlier
 * request.
 *
 * Three parts are parsed by `JSON.parse`: the elements before, those after, and the document around the list. If all
 * three are valid, so is the whole request, and its value is composed of theirs, so errors of the scanner cannot change
 * a result.
 */
export class RequestParser {
  readonly #known = new KnownRequests();

  /**
   * @param key of the list with the history
   * @returns undefined if the body is not a JSON object
   */
  parse(raw: Buffer, key: string): Json | undefined {
    const parsed = raw.length < MIN_BYTES ? undefined : this.#parse(raw, key);
    return parsed === undefined
      ? parseObject(raw.toString('utf8'))
      : { ...parsed.fields, [key]: parsed.elements };
  }

  #parse(raw: Buffer, key: string): ParsedBody | undefined {
    const { earlier, shared } = this.#known.nearest(raw);
    const isKnown = earlier !== undefined && earlier.key === key;
    const start = isKnown ? earlier.start : historyStart(raw, key);
    if (start === undefined) return undefined;
    const ends = isKnown ? earlier.ends.slice(0, shared) : [];
    const added = ends.at(-1) ?? start;
    let next = nextElement(raw, added, ends.length === 0);
    const from = next?.at ?? added;
    while (next?.end !== undefined) {
      ends.push(next.end);
      next = nextElement(raw, next.end, false);
    }
    if (next === undefined) return undefined;
    const end = next.at;
    try {
      const before = isKnown ? earlier.elements.slice(0, shared) : [];
      const elements = [...before, ...(ends.length > before.length ? listOf(raw, from, end) : [])];
      if (elements.length !== ends.length) return undefined;
      const isSameRest =
        isKnown && raw.compare(earlier.raw, earlier.end, earlier.raw.length, end, raw.length) === 0;
      const fields = isSameRest ? earlier.fields : fieldsAround(raw, start, end, key);
      if (fields === undefined) return undefined;
      const parsed = { raw, key, start, ends, end, elements, fields };
      this.#known.add(parsed, isKnown && shared >= earlier.ends.length - 2 ? earlier : undefined);
      return parsed;
    } catch {
      return undefined;
    }
  }
}

/** @throws SyntaxError */
function listOf(raw: Buffer, from: number, end: number): readonly unknown[] {
  return JSON.parse(`[${raw.toString('utf8', from, end)}]`) as readonly unknown[];
}

/**
 * The document without its history.
 *
 * @returns undefined if another list of the same name is the effective one
 * @throws SyntaxError
 */
function fieldsAround(raw: Buffer, start: number, end: number, key: string): Json | undefined {
  const around = Buffer.concat([raw.subarray(0, start - 1), MARKED_LIST, raw.subarray(end + 1)]);
  const fields: unknown = JSON.parse(around.toString('utf8'));
  if (!isObject(fields)) return undefined;
  const list = fields[key];
  return Array.isArray(list) && list[0] === MARK ? fields : undefined;
}
