import { describe, expect, it } from 'vitest';
import { argumentsOf, type DetectorId, incidentTitle, titleWithCount } from '../src/index.ts';

interface Case {
  readonly detector: DetectorId;
  readonly tool?: string;
  readonly count?: number;
  readonly evidence?: Record<string, unknown>;
  readonly title: string;
}

const cases: readonly Case[] = [
  {
    detector: 'tool-repeat',
    tool: 'read_file',
    count: 37,
    evidence: { matching: 'exact', results: 'same' },
    title: 'read_file ×37, same result',
  },
  {
    detector: 'tool-repeat',
    tool: 'Bash',
    evidence: { matching: 'exact', results: 'alike' },
    title: 'Bash ×4, nearly the same result',
  },
  {
    detector: 'tool-repeat',
    tool: 'Bash',
    evidence: { matching: 'exact', results: 'different' },
    title: 'Bash ×4, different results',
  },
  { detector: 'tool-repeat', tool: 'Bash', title: 'Bash ×4' },
  {
    detector: 'tool-repeat',
    tool: 'search',
    evidence: { matching: 'similar' },
    title: 'search ×4, similar arguments',
  },
  {
    detector: 'tool-repeat',
    tool: 'read',
    evidence: { matching: 'exact', results: 'same', callsPerStep: 3 },
    title: '3 calls ×4, same result',
  },
  {
    detector: 'tool-cycle',
    tool: 'b',
    evidence: { results: 'same', cycle: [{ name: 'a' }, { name: 'b' }] },
    title: 'a → b ×4, same result',
  },
  {
    detector: 'tool-cycle',
    tool: 'b',
    evidence: { results: 'unknown', cycle: [{ name: 'b' }, { name: 'b' }] },
    title: 'Cycle of 2 b calls ×4',
  },
  {
    detector: 'tool-cycle',
    tool: 'd',
    evidence: { results: 'different', cycle: ['a', 'b', 'c', 'd'].map((name) => ({ name })) },
    title: 'Cycle of 4 steps ×4, different results',
  },
  { detector: 'tool-cycle', tool: 'd', title: 'Cycle of tool calls ×4' },
  {
    detector: 'stagnation',
    tool: 'Edit',
    evidence: { rule: 'same-failure' },
    title: 'Edit ×4, fails the same way',
  },
  { detector: 'stagnation', evidence: { rule: 'same-error' }, title: 'Failing call ×4, same error' },
  { detector: 'stagnation', tool: 'Edit', evidence: { rule: 'nothing-new' }, title: 'Steps ×4, nothing new' },
  { detector: 'stagnation', evidence: { rule: 'same-prompt' }, title: 'Same prompt ×4, no progress' },
  {
    detector: 'stagnation',
    evidence: { rule: 'a-rule-of-another-version' },
    title: 'Steps ×4, no progress',
  },
  { detector: 'content-repeat', evidence: { at: 900 }, title: 'Same text ×4' },
  { detector: 'thought-repeat', title: 'Same reasoning ×4' },
  { detector: 'semantic', evidence: { shown: { from: 10, to: 29 } }, title: 'No progress in turns 10 to 29' },
  { detector: 'semantic', title: 'No progress' },
  { detector: 'tool-limit', title: 'Tool call limit reached' },
  { detector: 'turn-limit', title: 'Model request limit reached' },
  { detector: 'outage', tool: 'web_search', title: 'web_search ×4, outage' },
  {
    detector: 'budget',
    count: 80,
    evidence: { per: 'day', uses: [{ resource: 'usd' }] },
    title: 'Daily budget almost used up',
  },
  {
    detector: 'budget',
    count: 144,
    evidence: { per: 'session', uses: [{ resource: 'usd' }] },
    title: 'Session budget used up',
  },
  {
    detector: 'budget',
    count: 100,
    evidence: { per: 'session', uses: [{ resource: 'sub_agents' }] },
    title: 'Sub-agent limit reached',
  },
];

describe('incidentTitle', () => {
  it.each(cases)('$detector: $title', ({ detector, tool, count = 4, evidence, title }) => {
    const found = { detector, tool: tool === undefined ? null : { name: tool }, count };
    expect(incidentTitle(evidence === undefined ? found : { ...found, evidence })).toBe(title);
  });

  it('names the current count, whatever numbers the tool’s name has', () => {
    expect(titleWithCount('mcp__v2__read ×4, same result', 37)).toBe('mcp__v2__read ×37, same result');
    expect(titleWithCount('zoom ×2 ×4', 5)).toBe('zoom ×2 ×5');
    expect(titleWithCount('No progress in turns 10 to 29', 3)).toBe('No progress in turns 10 to 29');
  });
});

describe('argumentsOf', () => {
  const tool = { name: 'mcp:read', signature: 'mcp:read:{"path":"a:b"}' };

  it('takes the arguments from the signature of a repeated call', () => {
    expect(argumentsOf({ detector: 'tool-repeat', tool })).toBe('{"path":"a:b"}');
  });

  it('is null for a loop of several calls, and without a call', () => {
    expect(argumentsOf({ detector: 'tool-cycle', tool })).toBeNull();
    expect(argumentsOf({ detector: 'tool-repeat', tool: null })).toBeNull();
  });
});
