import { type DetectionInput, detectionSchema } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { detectionOf, SessionAnalyzer } from '../../src/internal.ts';

const detection = (input: DetectionInput) =>
  detectionOf(detectionSchema.parse({ preset: 'stream', ...input }));
const call = { type: 'tool_call_request', name: 'ls', args: {}, model: 'm', backend: 'b' } as const;
const told = (analyzer: SessionAnalyzer, times: number) =>
  Array.from({ length: times }, () => analyzer.push(call).verdicts)
    .flat()
    .map(({ phase, count, outcome }) => [phase, count, outcome ?? null]);

describe('server settings that change during a session', () => {
  it('apply from its next event', () => {
    const analyzer = new SessionAnalyzer('s', detection({}));
    expect(told(analyzer, 3)).toEqual([]);
    analyzer.adopt(detection({ tool_call_loop: { max_repeats: 4 } }));
    expect(told(analyzer, 1)).toEqual([['opened', 4, null]]);
  });

  it('end open incidents when they switch detection off', () => {
    const analyzer = new SessionAnalyzer('s', detection({ tool_call_loop: { max_repeats: 2 } }));
    expect(told(analyzer, 2)).toHaveLength(1);
    analyzer.adopt(detection({ enabled: false }));
    expect(told(analyzer, 1)).toEqual([['resolved', 2, 'disabled']]);
  });

  it('keep the settings of the session and of its model', () => {
    const analyzer = new SessionAnalyzer('s', detection({}));
    analyzer.push({ type: 'control', set: { 'tool_call_loop.max_repeats': 2 } });
    analyzer.adopt(detection({ tool_call_loop: { max_repeats: 9 } }));
    expect(told(analyzer, 2)).toEqual([['opened', 2, null]]);

    const other = new SessionAnalyzer('t', detection({}));
    other.adopt(detection({ overrides: { models: { 'b/m': { tool_call_loop: { max_repeats: 3 } } } } }));
    expect(told(other, 3)).toEqual([['opened', 3, null]]);
  });

  it('do not apply to a snapshot until the next event', () => {
    const [before, after] = [detection({}), detection({ tool_call_loop: { max_repeats: 2 } })];
    const analyzer = new SessionAnalyzer('s', before);
    analyzer.push(call);
    analyzer.adopt(after);
    expect(analyzer.detection).toBe(before);
    const restored = new SessionAnalyzer('s', analyzer.detection);
    restored.restore(analyzer.snapshot());
    restored.adopt(after);
    expect(told(restored, 1)).toEqual([['opened', 2, null]]);
    expect(restored.detection).toBe(after);
  });
});
