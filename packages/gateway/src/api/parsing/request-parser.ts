import { randomUUID } from 'node:crypto';
import { exactJson } from '@loopwatch/contract';
import type { Steps } from '../../in-slices.ts';
import type { Json } from '../conversation.ts';
import { isObject, parseObject } from '../json.ts';
import { type ElementSpan, historyStart, nextElement } from './json-scanner.ts';
import { parsePart, textOf } from './json-text.ts';
import { KnownRequests, type ParsedBody } from './known-requests.ts';

/** Shorter requests are parsed faster than they are looked up. */
const MIN_BYTES = 4_096;
/** Short elements are parsed together, up to this size. */
const GROUP_BYTES = 256 * 1024;
/** Placeholder for the history while the rest of a request is parsed. */
const MARK = randomUUID();
const MARKED_LIST = Buffer.from(JSON.stringify([MARK]));

/**
 * Parses requests; if a request continues an earlier one, parses only the new part. An agent repeats its whole history
 * with each request, as the same bytes. The history's unchanged elements are the same objects as in the earlier
 * request.
 *
 * `JSON.parse` parses each part: groups of elements, and the document around the list. If all are valid, so is the whole
 * request, and its value is composed of theirs, so errors of the scanner cannot change a result.
 */
export class RequestParser {
  readonly #known = new KnownRequests();

  /**
   * @param key of the list with the history
   * @returns undefined if the body is not a JSON object
   */
  *parse(raw: Buffer, key: string): Steps<Json | undefined> {
    const parsed = raw.length < MIN_BYTES ? undefined : yield* this.#parse(raw, key);
    return parsed === undefined ? parseObject(textOf(raw)) : { ...parsed.fields, [key]: parsed.elements };
  }

  *#parse(raw: Buffer, key: string): Steps<ParsedBody | undefined> {
    const { earlier, shared } = this.#known.nearest(raw);
    const isKnown = earlier !== undefined && earlier.key === key;
    const start = isKnown ? earlier.start : yield* historyStart(raw, key);
    if (start === undefined) return undefined;
    const ends = isKnown ? earlier.ends.slice(0, shared) : [];
    const added: ElementSpan[] = [];
    let next = yield* nextElement(raw, ends.at(-1) ?? start, ends.length === 0);
    while (typeof next === 'object') {
      added.push(next);
      ends.push(next.end);
      yield next.end - next.at;
      next = yield* nextElement(raw, next.end, false);
    }
    if (next === undefined) return undefined;
    const end = next;
    try {
      const elements: unknown[] = isKnown ? earlier.elements.slice(0, shared) : [];
      for (const group of groupsOf(added))
        for (const one of yield* parseGroup(raw, group)) elements.push(one);
      if (elements.length !== ends.length) return undefined;
      const rest = raw.subarray(end);
      const isSameRest = isKnown && rest.equals(earlier.tail);
      const tail = isSameRest ? earlier.tail : Buffer.from(rest);
      const fields = isSameRest ? earlier.fields : fieldsAround(raw, start, end, key);
      if (fields === undefined) return undefined;
      const parsed = { head: raw.subarray(0, end), tail, key, start, ends, elements, fields };
      this.#known.add(parsed, isKnown && shared >= earlier.ends.length - 2 ? earlier : undefined, shared);
      return parsed;
    } catch {
      return undefined;
    }
  }
}

/** Consecutive elements that are parsed together; one with long strings is alone. */
function groupsOf(elements: readonly ElementSpan[]): ElementSpan[][] {
  const groups: ElementSpan[][] = [];
  let open: ElementSpan[] | undefined;
  for (const element of elements) {
    const isShort = element.long.length === 0;
    if (isShort && open !== undefined && element.end - (open[0]?.at ?? 0) <= GROUP_BYTES) open.push(element);
    else groups.push([element]);
    open = isShort ? groups.at(-1) : undefined;
  }
  return groups;
}

/** @throws SyntaxError */
function* parseGroup(raw: Buffer, group: readonly ElementSpan[]): Steps<readonly unknown[]> {
  const [first] = group;
  const last = group.at(-1);
  if (first === undefined || last === undefined) return [];
  if (group.length === 1) return [yield* parsePart(raw, first.at, first.end, first.long)];
  yield last.end - first.at;
  return exactJson(`[${textOf(raw, first.at, last.end)}]`) as readonly unknown[];
}

/**
 * The document without its history.
 *
 * @returns undefined if another list of the same name is the effective one
 * @throws SyntaxError
 */
function fieldsAround(raw: Buffer, start: number, end: number, key: string): Json | undefined {
  const around = Buffer.concat([raw.subarray(0, start - 1), MARKED_LIST, raw.subarray(end + 1)]);
  const fields: unknown = JSON.parse(textOf(around));
  if (!isObject(fields)) return undefined;
  const list = fields[key];
  return Array.isArray(list) && list[0] === MARK ? fields : undefined;
}
