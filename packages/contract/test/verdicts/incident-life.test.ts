import { expect, test } from 'vitest';
import {
  isOpenAfter,
  mitigationBy,
  strongerAction,
  type VerdictAction,
  verdictPhases,
} from '../../src/index.ts';

test('isOpenAfter: an incident is open until it is resolved', () => {
  expect(verdictPhases.filter((phase) => isOpenAfter({ phase }))).toEqual(['opened', 'escalated']);
});

test.each<[VerdictAction | undefined, Parameters<typeof mitigationBy>[1], string | undefined]>([
  ['chance', { action: 'block' }, 'blocked'],
  ['chance', { action: 'none', outcome: 'recovered' }, 'recovered'],
  ['chance', { action: 'none', outcome: 'ended' }, undefined],
  ['chance', { action: 'none', outcome: 'disabled' }, undefined],
  ['chance', { action: 'chance' }, undefined],
  ['block', { action: 'none', outcome: 'recovered' }, undefined],
  ['warn', { action: 'block' }, undefined],
  [undefined, { action: 'block' }, undefined],
])('mitigationBy: after %s, %j results in %s', (before, verdict, mitigation) => {
  expect(mitigationBy(before, verdict)).toBe(mitigation);
});

test('strongerAction: block > chance > warn > none', () => {
  const weakestFirst: VerdictAction[] = ['none', 'warn', 'chance', 'block'];
  for (const [i, one] of weakestFirst.entries())
    for (const [j, other] of weakestFirst.entries())
      expect(strongerAction(one, other)).toBe(weakestFirst[Math.max(i, j)]);
});
