import { type AgentEvent, type DetectionInput, detectionSchema } from '@loopwatch/contract';
import fc from 'fast-check';
import type { PureVerdict, SessionSnapshot } from '../src/index.ts';
import { detectionOf, SessionAnalyzer } from '../src/internal.ts';

/** What the tests of whole sessions share: running events through an analyzer, and making events up. */

export function analyzer(config: DetectionInput = {}, sessionId = 's'): SessionAnalyzer {
  return new SessionAnalyzer(sessionId, detectionOf(detectionSchema.parse({ preset: 'stream', ...config })));
}

export function run(events: readonly AgentEvent[], config: DetectionInput = {}): PureVerdict[] {
  const session = analyzer(config);
  return events.flatMap((event) => [...session.push(event).verdicts]);
}

/** As {@link run}, with the state going through JSON into a new analyzer before every event that `at` names. */
export function runReloading(
  events: readonly AgentEvent[],
  at: (index: number) => boolean,
  config: DetectionInput = {},
): PureVerdict[] {
  let session = analyzer(config);
  return events.flatMap((event, i) => {
    if (at(i)) {
      const snapshot = JSON.parse(JSON.stringify(session.snapshot())) as SessionSnapshot;
      session = analyzer(config);
      session.restore(snapshot);
    }
    return [...session.push(event).verdicts];
  });
}

export function text(part: string): AgentEvent {
  return { type: 'content', text: part };
}

export function call(name: string, args: Record<string, unknown> | string | null = null): AgentEvent {
  return { type: 'tool_call_request', name, args };
}

/** Text that loops, breaks off, holds structure, and loops again. */
export const loopyText = fc
  .array(
    fc.oneof(
      fc.record({
        block: fc.string({
          minLength: 1,
          maxLength: 80,
          unit: fc.constantFrom(...Array.from('abcde \n-#`')),
        }),
        times: fc.integer({ min: 1, max: 60 }),
      }),
      fc.record({
        block: fc.constantFrom(
          '\n- item ',
          '\n```\ncode\n```\n',
          `\n\`\`\`\n${'"positive", '.repeat(60)}`,
          '\n# Title\n',
          '\n---\n',
          ' fresh words ',
          '\n> ',
        ),
        times: fc.constant(1),
      }),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((parts) => parts.map(({ block, times }) => block.repeat(times)).join(''));

/** Sessions with something of everything, in which loops are common. */
export const anySession: fc.Arbitrary<AgentEvent[]> = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: loopyText.map((part) => [text(part)]) },
      { weight: 1, arbitrary: loopyText.map((part): AgentEvent[] => [{ type: 'thought', text: part }]) },
      {
        weight: 4,
        arbitrary: fc
          .record({
            name: fc.constantFrom('read', 'write', '__proto__'),
            value: fc.integer({ min: 0, max: 2 }),
            times: fc.integer({ min: 1, max: 12 }),
          })
          .map(({ name, value, times }) => Array.from({ length: times }, () => call(name, { value }))),
      },
      {
        weight: 2,
        arbitrary: fc
          .constantFrom<AgentEvent>(
            { type: 'prompt_started', text: 'do it' },
            { type: 'turn_started' },
            { type: 'turn_finished', usage: { inputTokens: 3, outputTokens: 4 } },
            { type: 'retry' },
            { type: 'something_new', model: 'm' },
            { type: 'session_ended' },
            { type: 'control', set: { 'tool_call_loop.max_repeats': 3 } },
            { type: 'control', set: { 'content_loop.min_repeats': 4, enabled: true } },
            { type: 'control', unset: ['tool_call_loop.max_repeats'] },
            { type: 'control', set: { enabled: false } },
            { type: 'control', unset: ['enabled', 'content_loop.min_repeats'] },
          )
          .map((event) => [event]),
      },
    ),
    { maxLength: 10 },
  )
  .map((parts) => parts.flat())
  .map((events) =>
    events.map((event, i) => ({ ...event, time: 1_760_000_000_000 + i * 1700, id: `e${String(i)}` })),
  );

export const configs: readonly DetectionInput[] = [
  { preset: 'stream', thought_loop: { enabled: true, min_repeats: 5 } },
  {
    preset: 'stream',
    content_loop: { mode: 'chance_then_block' },
    tool_call_loop: { mode: 'chance_then_block' },
  },
  { preset: 'proxy' },
  { preset: 'balanced' },
  { preset: 'similar', content_loop: { window: 16, min_repeats: 4, max_distance: 60, mode: 'warn' } },
];
