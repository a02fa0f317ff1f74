import type { AgentEvent } from '@loopwatch/contract';
import { createSessionAnalyzer } from '@loopwatch/detectors';
import { describe, expect, it } from 'vitest';
import { logProducers, resultlessLogs } from './log-producers.ts';
import { messageProducers, resultlessAnswers } from './message-producers.ts';
import { answersOnly, type Call, producers as otherProducers, type Producer } from './producers.ts';
import { readAll } from './read-all.ts';

const producers: Record<string, Producer> = { ...otherProducers, ...logProducers, ...messageProducers };
const withoutResults: Record<string, Producer> = { ...answersOnly, ...resultlessLogs, ...resultlessAnswers };

const looping: Call[] = ['1', '2', '3', '4', '5', '6'].map((id) => ({
  id,
  args: { path: 'a' },
  result: 'an empty file',
}));
const healthy: Call[] = ['1', '2', '3'].map((id) => ({
  id,
  args: { path: `src/file-${id}.ts` },
  result: `contents of file ${id}`,
}));

/** The same call with a different result each time. */
const polling: Call[] = looping.map(({ id, args }) => ({ id, args, result: `step ${id} of 6 is done` }));

function verdictsOf([format, recordsOf]: Producer, calls: readonly Call[]) {
  const analyzer = createSessionAnalyzer();
  let made = 0;
  const { events, faults } = readAll(format, recordsOf(calls));
  expect(faults).toEqual([]);
  return events.flatMap((event: AgentEvent) => {
    if (event.type === 'tool_call_request') made += 1;
    const at = made;
    return analyzer
      .push(event)
      .map(({ phase, detector, reason, count }) => ({ phase, detector, reason, count, at }));
  });
}

const canonical = producers['canonical']!;
/** Canonical events of calls without their results. */
const resultless: Producer = [
  'canonical',
  (calls) => canonical[1](calls).filter((event) => Reflect.get(event, 'type') === 'tool_call_request'),
];

describe.each(Object.keys(producers))('calls of %s', (name) => {
  it('are a loop at the third identical call with the same result', () => {
    expect(verdictsOf(producers[name]!, looping)[0]).toEqual({
      ...verdictsOf(canonical, looping)[0],
      phase: 'opened',
      detector: 'tool-repeat',
      count: 3,
      at: 3,
    });
  });

  it('are no loop if each differs', () => {
    expect(verdictsOf(producers[name]!, healthy)).toEqual([]);
  });

  it('give the same verdicts as canonical events if only the results differ', () => {
    expect(verdictsOf(producers[name]!, polling)).toEqual(verdictsOf(canonical, polling));
  });
});

describe.each(Object.keys(withoutResults))('calls of %s, without their results,', (name) => {
  it('are a loop if canonical events without results are one', () => {
    const [expected] = verdictsOf(resultless, looping);
    expect(expected).toMatchObject({ phase: 'opened', detector: 'tool-repeat' });
    expect(verdictsOf(withoutResults[name]!, looping)[0]).toEqual(expected);
  });

  it('are no loop if each call differs', () => {
    expect(verdictsOf(withoutResults[name]!, healthy)).toEqual([]);
  });
});

it.each(['ag-ui', 'openai-chat chunks', 'anthropic stream'])(
  '%s: arguments can be split anywhere',
  (name) => {
    const [format, recordsOf] = { ...producers, ...withoutResults }[name]!;
    const eventsOf = (cut: number) =>
      readAll(format, recordsOf(looping.map((call) => ({ ...call, cut })))).events;
    const whole = eventsOf(0);
    expect(whole.filter(({ type }) => type === 'tool_call_request')).toMatchObject(
      looping.map(({ args }) => ({ args: JSON.stringify(args) })),
    );
    for (let cut = 1; cut <= JSON.stringify(looping[0]!.args).length; cut += 1)
      expect(eventsOf(cut)).toEqual(whole);
  },
);
