import type { AgentEvent } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { analyzer, call, runReloading, text } from '../../sessions.ts';
import { said } from '../../steps.ts';

interface Round {
  readonly prompt?: string;
  readonly origin?: 'user' | 'harness';
  readonly events?: readonly AgentEvent[];
}

/** Prompts with what came of each; each event a second after the one before, a prompt `gap` seconds after. */
function prompts(rounds: readonly Round[], gap = 1): AgentEvent[] {
  let time = 1_760_000_000_000;
  return rounds.flatMap(({ prompt = 'Go on.', origin, events = [] }) => {
    time += gap * 1000;
    const start: AgentEvent = { type: 'prompt_started', text: prompt, time, ...(origin && { origin }) };
    return [start, ...events.map((event) => ({ ...event, time: (time += 1000) }))];
  });
}
const repeated = (times: number, round: Round | ((i: number) => Round)): Round[] =>
  Array.from({ length: times }, (_, i) => (typeof round === 'function' ? round(i) : round));

const done = [text('All is done.')];
const failing: AgentEvent[] = [
  { type: 'turn_started' },
  call('bash', { command: 'git pull' }),
  { type: 'tool_result', result: "You've hit your usage limit.", isError: true },
];
const opened = ['stagnation/same-prompt opened chance 5'];

describe('same-prompt', () => {
  it.each<{ what: string; events: AgentEvent[]; expected: string[] }>([
    {
      what: 'opens at the fifth prompt that comes at once and is answered the same',
      events: prompts(repeated(5, { events: done })),
      expected: opened,
    },
    { what: 'is silent at four', events: prompts(repeated(4, { events: done })), expected: [] },
    {
      what: 'finds restarts that fail the same way',
      events: prompts(repeated(5, { events: failing })),
      expected: opened,
    },
    {
      what: 'leaves a person alone who takes time to ask again',
      events: prompts(repeated(12, { events: done }), 20),
      expected: [],
    },
    {
      what: 'leaves a person alone whom the event names',
      events: prompts(repeated(12, { events: done, origin: 'user' })),
      expected: [],
    },
    {
      what: 'leaves quick prompts alone that are answered otherwise each time',
      events: prompts(
        repeated(12, (i) => ({
          events: [text(`Chapter ${'one two three four five six seven'.split(' ')[i % 7] ?? ''}`)],
        })),
      ),
      expected: [],
    },
    {
      what: 'takes a prompt that is the harness’s by its event, however long it waits and whatever is answered',
      events: prompts(
        repeated(5, (i) => ({ origin: 'harness', events: [text(`Answer ${'abcde'[i] ?? ''}`)] })),
        60,
      ),
      expected: opened,
    },
    {
      what: 'takes a prompt that a known harness writes',
      events: prompts(repeated(5, { prompt: 'Stop hook feedback:\ntests are red', events: done }), 60),
      expected: opened,
    },
    {
      what: 'is silent where the prompts lead to new work',
      events: prompts(
        repeated(12, (i) => ({
          origin: 'harness',
          events: [
            call('read', { path: String(i) }),
            { type: 'tool_result', result: `file ${String(i)} has other lines` },
          ],
        })),
      ),
      expected: [],
    },
    {
      what: 'takes prompts for the same that differ in a time',
      events: prompts(
        repeated(5, (i) => ({ prompt: `Heartbeat 2026-03-04T10:1${String(i)}:00Z`, events: done })),
      ),
      expected: opened,
    },
    {
      what: 'says nothing of streams without times',
      events: prompts(repeated(12, { events: done })).map((event) => ({ ...event, time: 0 })),
      expected: [],
    },
    {
      what: 'resolves when another prompt follows',
      events: prompts([...repeated(5, { events: done }), { prompt: 'Now the docs.' }]),
      expected: [...opened, 'stagnation/same-prompt resolved recovered 5'],
    },
    {
      what: 'escalates with the next prompt, and ends with the session',
      events: [...prompts(repeated(6, { events: done })), { type: 'session_ended' }],
      expected: [
        ...opened,
        'stagnation/same-prompt escalated block 6',
        'stagnation/same-prompt resolved ended 6',
      ],
    },
  ])('$what', ({ events, expected }) => {
    expect(said(events)).toEqual(expected);
  });

  it('goes on after its state went through JSON', () => {
    const events = prompts(repeated(11, { events: failing }));
    const config = { preset: 'balanced' } as const;
    const whole = runReloading(events, () => false, config);
    expect(runReloading(events, () => true, config)).toEqual(whole);
    expect(whole.map(({ phase }) => phase)).toEqual(['opened', 'escalated', 'escalated']);
  });

  it('costs from the first of the prompts on, and shows the prompt unless text is not stored', () => {
    const find = (store_text: boolean) => {
      const session = analyzer({ preset: 'balanced', privacy: { store_text } });
      return prompts(repeated(5, { prompt: 'Say done.', events: done })).flatMap((event) => [
        ...session.push(event).verdicts,
      ])[0];
    };
    expect(find(true)).toMatchObject({
      cost: { ms: 8000 },
      evidence: { rule: 'same-prompt', repeated: 'Say done.' },
    });
    expect(find(true)?.reason).toContain('“Say done.”');
    expect(JSON.stringify(find(false))).not.toContain('Say done');
  });
});
