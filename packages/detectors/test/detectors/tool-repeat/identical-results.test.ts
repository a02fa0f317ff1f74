import type { AgentEvent, DetectionInput } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { call } from '../../sessions.ts';
import { type ShortStep, said, times, turns } from '../../steps.ts';

const page = 'page 2: red mug, green mug, blue mug';

describe('tool-repeat with results', () => {
  it.each<{ what: string; steps: ShortStep[]; expected: string[] }>([
    {
      what: 'opens at the third identical result',
      steps: times(3, ['show', page]),
      expected: ['tool-repeat opened chance 3'],
    },
    { what: 'is silent at two', steps: times(2, ['show', page]), expected: [] },
    {
      what: 'opens at the fourth bare ok',
      steps: times(4, ['ping', 'ok']),
      expected: ['tool-repeat opened chance 4'],
    },
    { what: 'is silent at three bare oks', steps: times(3, ['ping', 'ok']), expected: [] },
    {
      what: 'without results: opens at the fourth call, when the next turn starts',
      steps: [...times(4, 'ping'), 'other'],
      expected: ['tool-repeat opened chance 4'],
    },
    {
      what: 'opens at the third identical failure',
      steps: times(3, ['run', 'Error: no rule to make target']),
      expected: ['tool-repeat opened chance 3'],
    },
    {
      what: 'escalates after a missed chance, and when the count doubles',
      steps: times(7, ['show', page]),
      expected: [
        'tool-repeat opened chance 3',
        'tool-repeat escalated block 4',
        'tool-repeat escalated block 6',
      ],
    },
    {
      what: 'recovers when the chance is used',
      steps: [...times(3, ['show', page] as const), ['buy', 'one mug is on its way to you']],
      expected: ['tool-repeat opened chance 3', 'tool-repeat resolved recovered 3'],
    },
    {
      what: 'recovers at a new result, which is progress',
      steps: [...times(3, ['show', page] as const), ['show', 'page 3: white mug']],
      expected: ['tool-repeat opened chance 3', 'tool-repeat resolved recovered 3'],
    },
    {
      what: 'opens at the ninth call of a poller',
      steps: times(9, ['job_status', 'running on host a, queue b']),
      expected: ['tool-repeat opened chance 9'],
    },
    {
      what: 'is silent at eight looks for the messages of others',
      steps: times(8, ['check_messages', { messages: [] }]),
      expected: [],
    },
    {
      what: 'opens at the third call of a poller whose work has failed',
      steps: times(3, ['job_status', '{"id":7,"state":"cancelled","by":"the owner of the queue"}']),
      expected: ['tool-repeat opened chance 3'],
    },
    {
      what: 'is silent at eight calls of a poller',
      steps: times(8, ['getJobStatus', 'running on host a, b']),
      expected: [],
    },
    {
      what: 'never counts timeouts',
      steps: times(4, ['fetch', 'Error: timed out']),
      expected: ['outage opened warn 3'],
    },
  ])('$what', ({ steps, expected }) => {
    expect(said(turns(...steps))).toEqual(expected);
  });

  it('takes mode and thresholds from the settings, also per tool', () => {
    const events = turns(...times(6, ['show', page]));
    expect(said(events, { tool_call_loop: { mode: 'warn', max_repeats: 5 } })).toEqual([
      'tool-repeat opened warn 4',
    ]);
    expect(said(events, { tool_call_loop: { per_tool: { show: { max_repeats: 30 } } } })).toEqual([]);
    expect(said(events, { tool_call_loop: { per_tool: { show: { enabled: false } } } })).toEqual([]);
    expect(said(events, { tool_call_loop: { enabled: false } })).toEqual([]);
    expect(said(events, { tool_call_loop: { mode: 'block' } })[0]).toBe('tool-repeat opened block 3');
  });

  it('counts only calls within the time to live, to the millisecond', () => {
    const at = (...seconds: number[]): AgentEvent[] =>
      seconds.flatMap((second): AgentEvent[] => [
        { ...call('show'), time: second * 1000 },
        { type: 'tool_result', result: page, time: second * 1000 + 200 },
      ]);
    const ttl: DetectionInput = { tool_call_loop: { ttl_seconds: 60 } };
    expect(said(at(0, 30, 60), ttl)).toEqual(['tool-repeat opened chance 3']);
    expect(said(at(0, 30, 61), ttl)).toEqual([]);
    expect(said(at(0, 30, 61, 62), ttl)).toEqual(['tool-repeat opened chance 3']);
    expect(said(at(0, 30, 60, 200), ttl)).toEqual([
      'tool-repeat opened chance 3',
      'tool-repeat resolved recovered 3',
    ]);
  });

  it('ends with a prompt, with the session, or by a setting', () => {
    const loop = turns(...times(3, ['show', page]));
    const after = (event: AgentEvent): string | undefined => said([...loop, event]).at(-1);
    expect(after({ type: 'prompt_started' })).toBe('tool-repeat resolved ended 3');
    expect(after({ type: 'session_ended' })).toBe('tool-repeat resolved ended 3');
    expect(after({ type: 'control', set: { enabled: false } })).toBe('tool-repeat resolved disabled 3');
  });
});
