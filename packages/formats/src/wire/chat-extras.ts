import { isObject, type JsonObject, listOf, textOf } from '../record/json.ts';

/** Fields that copies of Chat Completions add to a message or a call, and refuse the next request without. */
export type Extras = Record<string, unknown>;

const ofMessage = new Set([
  'role',
  'content',
  'refusal',
  'tool_calls',
  'function_call',
  'audio',
  'annotations',
]);
const ofCall = new Set(['index', 'id', 'type', 'function', 'custom']);

/** Adds what a delta has of them: the reasoning of DeepSeek, Moonshot, OpenRouter and LiteLLM. */
export function addMessageExtras(extras: Extras, delta: JsonObject): void {
  add(extras, delta, ofMessage);
}

/** Adds what a part of a call has of them: the signature of Gemini. */
export function addCallExtras(extras: Extras, part: JsonObject): void {
  add(extras, part, ofCall);
}

function add(extras: Extras, delta: JsonObject, known: ReadonlySet<string>): void {
  for (const [key, value] of Object.entries(delta)) {
    if (known.has(key) || value === null) continue;
    const before = extras[key];
    if (typeof value === 'string') extras[key] = (textOf(before) ?? '') + value;
    else if (Array.isArray(value)) extras[key] = value.reduce<readonly unknown[]>(withPart, listOf(before));
    else extras[key] = value;
  }
}

const texts = ['text', 'summary', 'thinking'];

/** A block of reasoning arrives in parts; its signature is in the last one. */
function withPart(blocks: readonly unknown[], part: unknown): readonly unknown[] {
  const last = blocks.at(-1);
  const isPart =
    isObject(last) &&
    isObject(part) &&
    last['type'] === part['type'] &&
    last['index'] === part['index'] &&
    !last['signature'] &&
    texts.some((key) => typeof last[key] === 'string' && typeof part[key] === 'string');
  if (!isPart) return [...blocks, part];
  const joined = texts.flatMap((key) =>
    typeof part[key] === 'string' ? [[key, (textOf(last[key]) ?? '') + part[key]]] : [],
  );
  const news = Object.entries(part).filter(([, value]) => value !== null);
  return [...blocks.slice(0, -1), { ...last, ...Object.fromEntries(news), ...Object.fromEntries(joined) }];
}
