import { expect, it } from 'vitest';
import { findingsOf } from '../../src/kafka/durability.ts';

const risk = { risk: 'x: replication factor 1.', advice: 'Raise it.' };
const three = { brokers: 3, enoughBrokers: true, risks: [], hidden: [] };

it.each([
  [
    'a single broker',
    { ...three, brokers: 1, enoughBrokers: false },
    0,
    /^1 Kafka broker: fine for development/,
  ],
  [
    'two brokers',
    { ...three, brokers: 2, enoughBrokers: false },
    0,
    /^2 Kafka brokers: fine for development/,
  ],
  ['three brokers with safe settings', three, 0, /^acknowledged records survive/],
  ['unreadable settings', { ...three, hidden: ['a', 'b'] }, 0, /may not read the settings of a, b, so/],
  ['risks and hidden settings', { ...three, risks: [risk], hidden: ['a'] }, 1, /settings of a,/],
])('durability: %s results in one note', (_, durability, risks, note) => {
  const findings = findingsOf(durability);
  expect(findings.risks).toHaveLength(risks);
  expect(findings.notes).toEqual([expect.stringMatching(note)]);
});

it('durability: a cluster at risk has no reassuring note', () => {
  expect(findingsOf({ ...three, risks: [risk] })).toEqual({ risks: [risk], notes: [] });
});
