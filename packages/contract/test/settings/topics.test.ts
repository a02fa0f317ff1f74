import { describe, expect, it } from 'vitest';
import { topicNames, topicRoles, topicSettingsSchema } from '../../src/index.ts';

const namesOf = (settings: unknown) => topicNames(topicSettingsSchema.parse(settings));

describe('topicNames', () => {
  it('prefixes each role', () => {
    expect(namesOf({})).toEqual({
      events: 'loopwatch.events',
      verdicts: 'loopwatch.verdicts',
      sessions: 'loopwatch.sessions',
      control: 'loopwatch.control',
      checks: 'loopwatch.checks',
      'dead-letters': 'loopwatch.dead-letters',
      state: 'loopwatch.state',
      triage: 'loopwatch.triage',
    });
    expect(Object.keys(namesOf({}))).toEqual([...topicRoles]);
  });

  it.each([
    [{ prefix: 'prod.lw.' }, { events: 'prod.lw.events' }],
    [{ prefix: '' }, { 'dead-letters': 'dead-letters' }],
    [{ events: 'agents' }, { events: 'agents', verdicts: 'loopwatch.verdicts' }],
  ])('applies %j', (settings, names) => expect(namesOf(settings)).toMatchObject(names));

  it.each([{ events: '' }, { events: 'a b' }, { events: 'x'.repeat(250) }, { prefix: 'a/' }, { event: 'x' }])(
    'rejects %j',
    (settings) => expect(topicSettingsSchema.safeParse(settings).success).toBe(false),
  );
});
