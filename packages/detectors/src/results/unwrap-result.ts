import { jsonFrom } from '@loopwatch/contract';
import { type Fields, isFields } from '../lib/fields.ts';
import { FRAME, labelSays, PROCESS, TIME, VOLATILE_ID } from './token-labels.ts';

/** A longer text is not parsed. */
const MAX_UNITS = 16_384;
/** Such as MCP's blocks in a response of JSON-RPC. */
const MAX_WRAPPERS = 3;
const OBJECT_OR_LIST = /^\s*(?:\{\s*"|\[\s*\{\s*"(?:type|text)"\s*:)/;

/** What may stand beside the blocks of an MCP result. */
const BESIDE_BLOCKS = new Set(['content', 'isError', 'is_error', 'structuredContent', '_meta', 'meta']);

/** Fields of an envelope that hold what the tool says. */
const PAYLOAD = new Set(
  'output result data content text response body message stdout observation'.split(' '),
);
const METADATA = new Set(['_meta', 'meta', 'metadata', 'usage']);
const STATUS = /^(?:status|state|outcome)$/i;
/** Fields of an envelope that say nothing where they have these values: the call has succeeded. */
const SUCCESS: readonly (readonly [name: RegExp, says: (value: unknown) => boolean])[] = [
  [/^(?:ok|success|succeeded)$/i, (value) => value === true],
  [
    /^(?:status|state|outcome|(?:(?:exit|return|status)_?)?code)$/i,
    (value) => value === 0 || value === 200 || (typeof value === 'string' && DONE.test(value)),
  ],
  [
    /^(?:(?:is_?)?errors?|stderr|warnings?)$/i,
    (value) =>
      value === null || value === false || value === '' || (Array.isArray(value) && value.length === 0),
  ],
  [/^(?:\w+_)?id$/i, (value) => typeof value === 'string' && OF_REQUEST.test(value)],
  [/^(?:jsonrpc|tool(?:_?name)?)$/i, (value) => typeof value === 'string'],
  // How many results there have been.
  [/^(?:seq(?:uence)?(?:_?(?:no|num|number))?|call_?(?:no|num|number|index|count)|turn)$/i, Number.isInteger],
];
const DONE = /^(?:ok|success|succeeded|successful|completed?|done|finished)$/i;
const FAILED = /^(?:err(?:or)?|fail(?:ed|ure)?)$/i;
const OF_REQUEST = /^(?:req|res|resp|call|toolu|trace|evt|inv)[_-]/;

/** Headers of an HTTP response that say what the body does not. */
const TELLING = /^(?:link|location|retry-after|content-range|.*(?:next|cursor|page|total).*)$/i;
/** A longer tag is no wrapper. */
const TAG_UNITS = 400;
const TAG = /^\s*<((?:[a-z]+[-_]){0,2}(?:result|response|output|observation|reply|return)s?)((?:\s[^<>]*)?)>/;
const ATTRIBUTE = /\s([\w:-]{1,40})=["']([^"']*)["']/g;
/** What an attribute may say besides: the tool, and how many there were before. */
const NUMBERS = /^(?:n\w{0,5}|tool|index|step)$/;

export interface UnwrappedResult {
  readonly result: unknown;
  /** Whether the wrapper says that the call failed. */
  readonly isError?: true;
}

/**
 * A result without what it is wrapped in, as a value or as its JSON, so that it is read like the tool's own words: the blocks of
 * text of MCP and model APIs, or an envelope that says nothing else but that the call succeeded, how long it took, and which
 * request it was; in tags, in JSON-RPC or below the headers of an HTTP response; up to three of them. Anything else, such as a picture beside the text, or the status of a job, is unchanged.
 */
export function unwrapped(raw: unknown): UnwrappedResult {
  let found: UnwrappedResult = { result: raw };
  for (let depth = 0; depth < MAX_WRAPPERS; depth += 1) {
    const inner = withoutWrapper(found.result);
    if (inner.result === found.result) break;
    found = { ...found, ...inner };
  }
  return found;
}

function withoutWrapper(raw: unknown): UnwrappedResult {
  if (typeof raw === 'string') {
    const inner = withoutTag(raw);
    if (inner !== undefined) return inner;
  }
  const value =
    typeof raw === 'string' && raw.length <= MAX_UNITS && OBJECT_OR_LIST.test(raw) ? jsonFrom(raw) : raw;
  if (Array.isArray(value)) return { result: textOf(value) ?? raw };
  if (!isFields(value)) return { result: raw };
  const response = withoutHeaders(value);
  return (
    withoutBlocks(value) ?? { result: withoutEnvelope(response) ?? (response === value ? raw : response) }
  );
}

/** The text between two tags whose attributes say nothing but which call it answers, how long it took, or whether it failed. */
function withoutTag(text: string): UnwrappedResult | undefined {
  const found = TAG.exec(text.slice(0, TAG_UNITS));
  if (found === null) return undefined;
  const [opening, name = '', attributes = ''] = found;
  const closing = `</${name}>`;
  const whole = text.trimEnd();
  if (!whole.endsWith(closing) || whole.length < opening.length + closing.length) return undefined;
  const fields = [...attributes.matchAll(ATTRIBUTE)];
  const isError = fields.some(([, field = '', value = '']) => saysError(field, value));
  const isWrapper = fields.every(
    ([, field = '', value = '']) =>
      NUMBERS.test(field) || saysError(field, value) || saysNothing(field, literal(value)),
  );
  if (!isWrapper) return undefined;
  const result = whole.slice(opening.length, -closing.length).trim();
  if (result.includes(closing)) return undefined;
  return isError ? { result, isError } : { result };
}

function saysError(field: string, value: string): boolean {
  return (STATUS.test(field) && FAILED.test(value)) || (/^(?:is_?)?error$/i.test(field) && value === 'true');
}

/** The value of an attribute as JSON would have it. */
function literal(text: string): unknown {
  return /^(?:true|false|-?\d{1,15})$/.test(text) ? JSON.parse(text) : text;
}

/** An HTTP response without the headers that say nothing about its body; any other value is unchanged. */
function withoutHeaders(value: Fields): Fields {
  const { headers } = value;
  if (!isFields(headers) || !Object.entries(value).some(([name, field]) => isStatus(name, field)))
    return value;
  const telling = Object.entries(headers).filter(([name]) => TELLING.test(name));
  const { headers: _, ...rest } = value;
  return telling.length === 0 ? rest : { ...rest, headers: Object.fromEntries(telling) };
}

function isStatus(name: string, value: unknown): boolean {
  return (
    /^(?:status|code|status_?code)$/i.test(name) && typeof value === 'number' && value >= 100 && value < 600
  );
}

function withoutBlocks(value: Fields): UnwrappedResult | undefined {
  const { content } = value;
  if (!Array.isArray(content) || !Object.keys(value).every((name) => BESIDE_BLOCKS.has(name)))
    return undefined;
  const text = textOf(content);
  if (text === undefined) return undefined;
  const isError = value['isError'] === true || value['is_error'] === true;
  return isError ? { result: text, isError } : { result: text };
}

/** The text of blocks; undefined if there are none, or others. */
function textOf(blocks: readonly unknown[]): string | undefined {
  const texts = blocks.map((block) =>
    isFields(block) && block['type'] === 'text' && typeof block['text'] === 'string'
      ? block['text']
      : undefined,
  );
  return texts.length === 0 || texts.includes(undefined) ? undefined : texts.join('\n');
}

/** The only field that says something; undefined if there is another one, or none. */
function withoutEnvelope(value: Fields): unknown {
  let payload: unknown;
  const isRpc = typeof value['jsonrpc'] === 'string';
  for (const [name, field] of Object.entries(value)) {
    if (saysNothing(name, field) || (isRpc && name === 'id')) continue;
    if (payload !== undefined || !PAYLOAD.has(name)) return undefined;
    if (typeof field !== 'string' && (typeof field !== 'object' || field === null)) return undefined;
    payload = field;
  }
  return payload;
}

function saysNothing(name: string, value: unknown): boolean {
  if (METADATA.has(name) && isFields(value))
    return name === 'usage' || Object.entries(value).every(([inner, field]) => saysNothing(inner, field));
  const says = labelSays(name, 0, name.length, 0, 0);
  if ((says & (VOLATILE_ID | FRAME)) !== 0) return true;
  if ((says & PROCESS) !== 0 && typeof value === 'number') return true;
  if ((says & TIME) !== 0 && (typeof value === 'number' || (typeof value === 'string' && /\d/.test(value))))
    return true;
  return SUCCESS.some(([form, says]) => form.test(name) && says(value));
}
