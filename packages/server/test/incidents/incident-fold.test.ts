import type { Verdict } from '@loopwatch/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addVerdict, type IncidentFold, toIncident } from '../../src/incidents/fold.ts';
import { groupKey } from '../../src/incidents/group-key.ts';
import { START, verdict } from '../verdicts.ts';

const opened = verdict({ count: 5 });
const escalated = verdict({ phase: 'escalated', action: 'block', count: 10, time: START + 5_000 });
const resolved = verdict({
  phase: 'resolved',
  count: 12,
  time: START + 9_000,
  reason: 'read_file was called 12 times; a different call followed',
  evidence: {},
});

const began = { eventIndex: 3, eventId: 'e-3', time: START - 4_000 };
const thresholdOrigin = {
  setting: 'tool_call_loop.max_repeats',
  value: 4,
  scope: 'preset' as const,
  adjustments: ['same-result' as const],
};

function foldOf(verdicts: readonly Verdict[], arrivedAt = START) {
  let fold: IncidentFold | undefined;
  // As the database keeps it between two verdicts.
  for (const one of verdicts) fold = roundTrip(addVerdict(fold, one, arrivedAt)) ?? fold;
  return toIncident(fold!);
}

function roundTrip(fold: IncidentFold | undefined): IncidentFold | undefined {
  return fold && (JSON.parse(JSON.stringify(fold)) as IncidentFold);
}

describe('an incident is the fold of its verdicts', () => {
  const cases: [string, Verdict[], object][] = [
    [
      'opened',
      [opened],
      { state: 'open', outcome: null, count: 5, action: 'warn', resolvedAt: null, revision: 1 },
    ],
    ['escalated', [opened, escalated], { state: 'open', count: 10, action: 'block', openedAt: START }],
    [
      'resolved: keeps the strongest action and the description of the loop',
      [opened, escalated, resolved],
      {
        state: 'resolved',
        outcome: 'recovered',
        count: 12,
        action: 'block',
        resolvedAt: START + 9_000,
        reason: resolved.reason,
        resolution: resolved.reason,
        evidence: escalated.evidence,
      },
    ],
    [
      'resolved, of text: the reason still quotes it',
      [
        verdict({ tool: null, reason: '“again” repeats' }),
        { ...resolved, tool: null, reason: 'A text was repeated' },
      ],
      { reason: '“again” repeats', resolution: 'A text was repeated' },
    ],
    ...[null, { name: 'chat', signature: 'chat:{}' }].map((tool): [string, Verdict[], object] => [
      `over ${tool === null ? 'of text' : 'of calls'}: the reason says the final count, and nothing of the end`,
      [
        verdict({ tool, count: 10, reason: '“again” repeats, 10 times', countAt: 17 }),
        verdict({ tool, count: 80, phase: 'escalated', reason: '“again” repeats, 80 times', countAt: 17 }),
        verdict({
          tool,
          count: 91,
          phase: 'resolved',
          reason: 'Had come 91 times; text followed',
          countAt: 9,
        }),
      ],
      {
        count: 91,
        reason: '“again” repeats, 91 times',
        countAt: 17,
        resolution: 'Had come 91 times; text followed',
      },
    ]),
    [
      'with its beginning and the origin of its threshold',
      [verdict({ began, thresholdOrigin }), { ...escalated, began, thresholdOrigin }],
      { began, thresholdOrigin },
    ],
    [
      'resolved with fuller evidence',
      [opened, { ...resolved, evidence: { matching: 'exact', calls: [1] } }],
      { evidence: { matching: 'exact', calls: [1] } },
    ],
    [
      'resolved with less evidence',
      [opened, { ...resolved, evidence: { at: 7 } }],
      { evidence: { matching: 'exact', calls: [] } },
    ],
    [
      'resolved without an outcome',
      [verdict({ phase: 'resolved', outcome: undefined })],
      { outcome: 'ended' },
    ],
    ['guidance stays', [verdict({ guidance: 'Stop.' }), escalated], { guidance: 'Stop.' }],
    [
      'late: the resolution came first',
      [resolved, opened],
      { state: 'resolved', count: 12, openedAt: START },
    ],
  ];

  it.each(cases)('%s', (_name, verdicts, expected) => {
    expect(foldOf(verdicts)).toMatchObject(expected);
  });

  it('keeps the first and the latest verdicts of many', () => {
    const many = Array.from({ length: 100 }, (_, n) => verdict({ phase: 'escalated', count: n + 6 }));
    const incident = foldOf([opened, ...many]);
    expect(incident.verdicts).toHaveLength(32);
    expect(incident.verdicts[0]?.count).toBe(5);
    expect(incident.verdicts.at(-1)?.count).toBe(105);
    expect(incident.revision).toBe(101);
  });

  it('uses the arrival time when a verdict has no detection time', () => {
    expect(foldOf([verdict({ detectedAt: undefined })], 777).detectedAt).toBe(777);
  });
});

it('fold: order and duplicates of verdicts do not matter', () => {
  const life = [opened, escalated, { ...escalated, id: 'more', count: 11, eventIndex: 11 }, resolved];
  const expected = foldOf(life);
  const anyOrder = fc
    .shuffledSubarray(life, { minLength: life.length })
    .chain((order) => fc.tuple(fc.constant(order), fc.array(fc.constantFrom(...life), { maxLength: 9 })))
    .map(([order, again]) => [...order, ...again]);
  fc.assert(
    fc.property(anyOrder, (verdicts) => {
      expect(foldOf(verdicts)).toEqual(expected);
    }),
  );
});

it('fold: keeps evidence only of the verdicts that are shown', () => {
  const evidence = { calls: ['x'.repeat(30_000)] };
  const many = Array.from({ length: 40 }, (_, n) => verdict({ phase: 'escalated', count: n + 6, evidence }));
  let fold: IncidentFold | undefined;
  for (const one of many) fold = addVerdict(fold, one, 0) ?? fold;
  expect(JSON.stringify(fold).length).toBeLessThan(100_000);
  expect(toIncident(fold!).evidence).toEqual(evidence);
});

describe('group key: identical loops share a group', () => {
  const cycle = (...names: string[]) =>
    verdict({
      detector: 'tool-cycle',
      evidence: {
        results: 'same',
        cycle: names.map((name) => ({ name, arguments: '{}', text: '' })),
        calls: [],
      },
    });
  const text = (repeated: string) => ({ at: 9, repeated, rule: 'text' });
  const ofText = (evidence: Record<string, unknown>) =>
    verdict({ detector: 'content-repeat', tool: null, evidence });
  const same: [string, Verdict, Verdict][] = [
    ['of calls', verdict({ sessionId: 'a', count: 5 }), verdict({ sessionId: 'b', count: 50, time: 9 })],
    ['of a cycle entered at another step', cycle('a', 'b', 'c'), cycle('c', 'a', 'b')],
    [
      'of evidence that does not match the schema',
      verdict({ evidence: { calls: 7 } }),
      verdict({ evidence: { calls: 8 } }),
    ],
    ['of a text cut at another position', ofText(text('again and ')), ofText(text('and again '))],
    ['of a text with other line breaks', ofText(text('again and ')), ofText(text('Again\nand  '))],
  ];
  const others: [string, Verdict, Verdict][] = [
    ['arguments', verdict(), verdict({ tool: { name: 'read_file', signature: 'read_file:{"path":"b"}' } })],
    ['agent', verdict(), verdict({ agent: 'other' })],
    ['model', verdict(), verdict({ model: 'other' })],
    ['detector', verdict(), verdict({ detector: 'stagnation' })],
    ['text', ofText(text('again and ')), ofText(text('again or '))],
    ['rule', ofText(text('again and ')), ofText({ ...text('again and '), rule: 'block' })],
    ['steps', cycle('a', 'b'), cycle('a', 'b', 'b')],
  ];
  it.each(same)('%s', (_, a, b) => expect(groupKey(a)).toBe(groupKey(b)));
  it.each(others)('but not with another %s', (_, a, b) => expect(groupKey(a)).not.toBe(groupKey(b)));

  it('wherever a repeated text starts', () => {
    const cut = fc
      .string({ minLength: 1, maxLength: 30 })
      .chain((whole) => fc.record({ whole: fc.constant(whole), at: fc.nat(whole.length) }));
    fc.assert(
      fc.property(cut, ({ whole, at }) => {
        // White space at the cut would count as one with what lies beyond.
        fc.pre(!/\s/.test(whole));
        const turned = whole.slice(at) + whole.slice(0, at);
        expect(groupKey(ofText(text(turned)))).toBe(groupKey(ofText(text(whole))));
      }),
    );
  });
});
