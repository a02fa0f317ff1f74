import { type DetectionInput, detectorIds, evidenceSchemas } from '@loopwatch/contract';
import { describe, expect, test } from 'vitest';
import type { Account, Pattern } from '../../src/incident/finding.ts';
import type { PureVerdict } from '../../src/index.ts';
import { type Presentation, presentable } from '../../src/privacy/presentable.ts';
import { SecretMask } from '../../src/privacy/secret-mask.ts';
import { goldenVerdicts } from '../golden-case.ts';

const verdicts = goldenVerdicts();

/** The schema leaves out what it does not know, at any depth. */
function expectFit({ detector, evidence }: PureVerdict): void {
  expect(evidenceSchemas[detector].parse(evidence), detector).toStrictEqual(evidence);
}

describe('evidence in the golden cases', () => {
  test('comes from every detector', () => {
    const found = new Set(verdicts.map(({ detector }) => detector));
    expect(detectorIds.filter((id) => !found.has(id))).toEqual([]);
  });

  test('has only fields of its detector’s schema', () => {
    for (const verdict of verdicts) expectFit(verdict);
  });

  test.each<[string, DetectionInput]>([
    ["without the agent's text", { privacy: { store_text: false } }],
    ['with much of it masked', { privacy: { mask: ['["{}]', '[0-9]+'] } }],
  ])('matches the schema %s', (_, privacy) => {
    const changed = goldenVerdicts(privacy);
    expect(changed.map(({ id }) => id)).toHaveLength(verdicts.length);
    expect(changed.map(({ evidence }) => evidence)).not.toEqual(verdicts.map(({ evidence }) => evidence));
    for (const verdict of changed) expectFit(verdict);
  });

  test('matches the schema when texts and lists are cut to 32 KiB', () => {
    const presentation: Presentation = { storeText: true, secrets: new SecretMask([]) };
    const one = new Map(verdicts.map((verdict) => [`${verdict.detector} ${verdict.phase}`, verdict]));
    let cut = 0;
    for (const verdict of one.values()) {
      const large = swollen(verdict.evidence);
      const evidence = presentable(large, presentation);
      if (JSON.stringify(evidence) !== JSON.stringify(large)) cut += 1;
      expectFit({ ...verdict, evidence } as PureVerdict);
    }
    expect(cut).toBeGreaterThan(one.size / 2);
  });
});

const AGENT_TEXT = new Set(['arguments', 'text', 'repeated', 'analysis', 'limit_message']);

/** The same with long texts, and lists with many more entries. */
function swollen<T>(value: T): T {
  if (Array.isArray(value)) return Array.from({ length: 10 }, () => value.map(swollen)).flat() as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, entry]: [string, unknown]) => [
    key,
    AGENT_TEXT.has(key) && typeof entry === 'string' ? `${entry}\u0001€`.repeat(1500) : swollen(entry),
  ]);
  return Object.fromEntries(entries) as T;
}

test('evidence: a detector can only write evidence of its own schema', () => {
  const evidence: Account<'turn-limit'>['evidence'] = {
    turn_requests: 1,
    max_allowed: 1,
    last_tool_calls: [],
    // @ts-expect-error: no such field
    allowed: 1,
  };
  // @ts-expect-error: a rule that is not declared
  const pattern: Pattern<'stagnation'>['evidence'] = { rule: 'same-mood' };
  const analysisOf = (verdict: PureVerdict) =>
    verdict.detector === 'semantic' ? verdict.evidence.analysis : undefined;
  const [judged] = verdicts.filter(({ detector }) => detector === 'semantic');
  expect(judged && analysisOf(judged)).toEqual(expect.any(String));
  expect([evidence, pattern]).toHaveLength(2);
});
