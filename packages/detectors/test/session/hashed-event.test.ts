import type { AgentEvent } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { createSessionAnalyzer } from '../../src/index.ts';

const steps = (hashes: readonly [args: string, result: string][]): AgentEvent[] =>
  hashes.flatMap(([argsHash, resultHash], i) => [
    { type: 'tool_call_request', sessionId: 's', callId: String(i), name: 'read_file', argsHash },
    { type: 'tool_result', sessionId: 's', callId: String(i), resultHash },
  ]);

describe('events with hashes instead of texts', () => {
  it('are a loop if their hashes are equal, with a reason that mentions the hashes', () => {
    const analyzer = createSessionAnalyzer();
    const [verdict] = steps([
      ['a1', 'r1'],
      ['a1', 'r1'],
      ['a1', 'r1'],
    ]).flatMap((event) => analyzer.push(event));
    expect(verdict).toMatchObject({ detector: 'tool-repeat', phase: 'opened', count: 3 });
    expect(verdict?.reason).toBe(
      'read_file {"argsHash":"a1"} was called 3 times in a row with the same result: “(a result with the hash r1)”',
    );
  });

  it.each([
    [
      'differ in their arguments',
      [
        ['a1', 'r1'],
        ['a2', 'r2'],
        ['a3', 'r3'],
      ],
    ],
    [
      'have a new result each time',
      [
        ['a1', 'r1'],
        ['a1', 'r2'],
        ['a1', 'r3'],
      ],
    ],
  ] as [string, [string, string][]][])('are no loop if they %s', (_, hashes) => {
    const analyzer = createSessionAnalyzer();
    expect(steps(hashes).flatMap((event) => analyzer.push(event))).toEqual([]);
  });

  it('are described by their texts if they contain both', () => {
    const analyzer = createSessionAnalyzer({ preset: 'stream' });
    const calls = ['1', '2', '3', '4', '5'].map(
      (argsHash) =>
        ({ type: 'tool_call_request', sessionId: 's', name: 'ls', args: { p: 1 }, argsHash }) as const,
    );
    expect(calls.flatMap((event) => analyzer.push(event))).toMatchObject([
      { reason: expect.stringContaining('{"p":1}') },
    ]);
  });
});
