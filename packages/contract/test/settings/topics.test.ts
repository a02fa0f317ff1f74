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

  it.each([
    [
      { events: 'loopwatch.verdicts' },
      'verdicts',
      'must differ from kafka.topics.events, which is loopwatch.verdicts too',
    ],
    [
      { events: 'a', 'dead-letters': 'a' },
      'dead-letters',
      'must differ from kafka.topics.events, which is a too',
    ],
    [{ verdicts: '..' }, 'verdicts', 'cannot be ..: Kafka allows 249 characters, and not only dots'],
    [{ prefix: 'x'.repeat(239) }, 'dead-letters', expect.stringContaining('Kafka allows 249 characters')],
  ])('refuses %j', (settings, role, message) => {
    expect(topicSettingsSchema.safeParse(settings).error?.issues).toEqual([
      expect.objectContaining({ path: [role], message }),
    ]);
  });

  it.each([{ events: '' }, { events: 'a b' }, { events: 'x'.repeat(250) }, { prefix: 'a/' }, { event: 'x' }])(
    'rejects %j',
    (settings) => expect(topicSettingsSchema.safeParse(settings).success).toBe(false),
  );
});
