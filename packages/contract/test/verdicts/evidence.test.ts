import { detectorIds, readEvidence, ruleOf, verdictSchema } from '@loopwatch/contract';
import { expandEvidenceSchema } from '@loopwatch/contract/internal';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

const call = { eventIndex: 3, eventId: 'e-3', time: 7, name: 'ls', arguments: '{}' };

describe('readEvidence', () => {
  test('returns only the fields of the detector', () => {
    const evidence = { matching: 'exact', calls: [{ ...call, later: 1 }], later: true };
    expect(readEvidence('tool-repeat', evidence)).toEqual({ matching: 'exact', calls: [call] });
  });

  test.each([
    ['of another detector', { analysis: 'It waits.' }],
    ['whose calls have another form', { matching: 'exact', calls: [{ name: 'ls' }] }],
    ['with an unknown value', { matching: 'nearly', calls: [call] }],
    ['null', null],
  ])('rejects %s', (_, evidence) => {
    expect(readEvidence('tool-repeat', evidence)).toBeUndefined();
  });

  test('ruleOf returns the rule of detectors with several', () => {
    expect(ruleOf({ rule: 'same-error', calls: [] })).toBe('same-error');
    expect(ruleOf({ at: 7, rule: 'block' })).toBe('block');
    expect(ruleOf({ at: 7 })).toBeNull();
    expect(ruleOf({ calls: [] })).toBeNull();
  });
});

test('verdictSchema accepts any evidence', () => {
  const evidence = { calls: 'none', of: ['another', { version: 9 }] };
  expect(verdictSchema.shape.evidence.parse(evidence)).toEqual(evidence);
});

test('expandEvidenceSchema lists one schema per detector, and one for other versions', () => {
  const json = z.toJSONSchema(verdictSchema, {
    io: 'output',
    override: (part) => expandEvidenceSchema(part),
  });
  const forms = (json.properties?.['evidence'] as { anyOf: { title: string }[] }).anyOf;
  expect(forms.map(({ title }) => title)).toEqual([...detectorIds, 'other']);
  // Later versions can add fields.
  expect(JSON.stringify(forms)).not.toContain('additionalProperties');
});
