import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AgentEvent,
  type CheckAnswer,
  type DetectionInput,
  eventSchema,
  type PresetName,
} from '@loopwatch/contract';
import { createSessionAnalyzer, type PureVerdict, semanticLayer } from '../src/index.ts';

/** A golden case as it is written in `golden/<detector>/*.json`. golden/README.md describes the short forms. */
export interface GoldenCase {
  readonly name: string;
  readonly preset?: PresetName;
  readonly config?: DetectionInput;
  readonly events: readonly unknown[];
  /** What the model answers at each check, in order: a confidence, or why there is no answer. */
  readonly answers?: readonly CannedAnswer[];
  readonly expected: readonly ExpectedVerdict[];
}

export type CannedAnswer = number | Extract<CheckAnswer, { failure: unknown }>['failure'];

export interface ExpectedVerdict {
  readonly phase: string;
  readonly detector: string;
  readonly eventIndex: number;
  readonly action: string;
  readonly count: number;
  readonly outcome?: string;
  /** Offset of the deciding unit in the session's text. */
  readonly at?: number;
}

const caseKeys = ['name', 'preset', 'config', 'events', 'answers', 'expected'];
const neededKeys = ['phase', 'detector', 'eventIndex', 'action', 'count'];
const expectedKeys = [...neededKeys, 'outcome', 'at'];

/** Reads a golden file. @throws Error that says what is wrong with it, for those who write one by hand */
export function parseGoldenCase(json: string): GoldenCase {
  const golden = JSON.parse(json) as GoldenCase;
  refuseUnknownKeys(golden, caseKeys);
  if (typeof golden.name !== 'string') throw new Error('a case needs a "name"');
  if ((golden.preset === undefined) === (golden.config === undefined)) {
    throw new Error('a case needs either a "preset" or a "config"');
  }
  if (!Array.isArray(golden.events) || golden.events.length === 0) throw new Error('a case needs "events"');
  if (!Array.isArray(golden.expected)) throw new Error('a case needs "expected", [] where nothing is found');
  for (const verdict of golden.expected) {
    refuseUnknownKeys(verdict, expectedKeys);
    const missing = neededKeys.filter((key) => !(key in verdict));
    if (missing.length > 0) throw new Error(`an expected verdict lacks ${missing.join(', ')}`);
  }
  return golden;
}

/** The events of a case with its short forms written out, each checked against the contract. */
export function goldenEvents(golden: GoldenCase): AgentEvent[] {
  return golden.events
    .flatMap(repeated)
    .flatMap(cut)
    .map((event) => eventSchema.parse(event));
}

/**
 * The verdicts of one session. With answers there is a model, which answers each check at once.
 *
 * @throws Error when the checks are not as many as the answers
 */
export function verdictsOf(
  config: DetectionInput,
  events: readonly AgentEvent[],
  answers?: readonly CannedAnswer[],
  create = createSessionAnalyzer,
): PureVerdict[] {
  const analyzer = create(config, { semantic: answers === undefined ? null : semanticLayer });
  const waiting = [...(answers ?? [])];
  const found = events.flatMap((event) => {
    const verdicts = analyzer.push(event);
    const check = analyzer.takeCheck();
    if (check === undefined) return verdicts;
    const next = waiting.shift();
    if (next === undefined) throw new Error(`turn ${String(check.turn)} asks, and there is no answer for it`);
    const answer =
      typeof next === 'number'
        ? { analysis: 'It keeps changing the same line back and forth.', confidence: next }
        : { failure: next };
    return [...verdicts, ...analyzer.answer(check.id, answer)];
  });
  if (waiting.length > 0) throw new Error(`${String(waiting.length)} answers without a check`);
  return found;
}

/** `{"times": 5, "event": {…}}` is that event five times. */
function repeated(entry: unknown): Record<string, unknown>[] {
  const { times, event, ...rest } = written(entry) as { times?: number; event?: Record<string, unknown> };
  if (times === undefined || event === undefined) return [rest];
  if (Object.keys(rest).length > 0) throw new Error('"times" and "event" stand alone');
  return Array.from({ length: times }, () => event);
}

/** `"pieces": 7` cuts the event's text into events of at most seven units. */
function cut(event: Record<string, unknown>): Record<string, unknown>[] {
  const { pieces, ...rest } = event;
  if (typeof pieces !== 'number') return [rest];
  const text = String(rest['text']);
  return Array.from({ length: Math.ceil(text.length / pieces) }, (_, i) => ({
    ...rest,
    text: text.slice(i * pieces, (i + 1) * pieces),
  }));
}

/** The value with every `{"$text": [parts]}` in it replaced by the text that it describes. */
function written(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(written);
  if ('$text' in value) return (value.$text as TextPart[]).map(textOf).join('');
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, written(inner)]));
}

type TextPart =
  | string
  | { readonly times: number; readonly text: string | readonly TextPart[] }
  | { readonly unique: number; readonly seed?: number };

function textOf(part: TextPart): string {
  if (typeof part === 'string') return part;
  if ('unique' in part) return uniqueText(part.unique, part.seed ?? 1);
  const once = typeof part.text === 'string' ? part.text : part.text.map(textOf).join('');
  return once.repeat(part.times);
}

/** Small letters in an order that never repeats any 50 of them; the same for the same seed. */
export function uniqueText(length: number, seed: number): string {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  let text = '';
  while (text.length < length) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += String.fromCharCode(97 + ((state >>> 24) % 26));
  }
  return text;
}

function refuseUnknownKeys(value: object, known: readonly string[]): void {
  const unknown = Object.keys(value).filter((key) => !known.includes(key));
  if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(', ')}; known: ${known.join(', ')}`);
}

/** The verdicts of all golden cases. @param changed settings that replace those of a case */
export function goldenVerdicts(changed: DetectionInput = {}): PureVerdict[] {
  const root = join(import.meta.dirname, '../../../golden');
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) => {
      const golden = parseGoldenCase(readFileSync(join(root, file), 'utf8'));
      const config = { ...(golden.config ?? { preset: golden.preset }), ...changed };
      return verdictsOf(config, goldenEvents(golden), golden.answers);
    });
}
