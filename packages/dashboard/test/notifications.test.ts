import { notificationSchema, notificationTypes } from '@loopwatch/contract';
import type { NotificationStatus } from '@loopwatch/contract/api';
import { hiddenValue } from '@loopwatch/contract/internal';
import { describe, expect, it } from 'vitest';
import { describeRules } from '../src/notifications/describe-rules.ts';
import { type Draft, draftOf, entryOf } from '../src/notifications/fields.ts';

const texts: Readonly<Record<string, Draft['texts']>> = {
  slack: { token: 'xoxb', channel: '#agents', max_per_minute: '5' },
  teams: { url: 'https://prod-1.logic.azure.com/workflows/x' },
  discord: { url: 'https://discord.com/api/webhooks/1/x', weekly_report: 'monday 08:00' },
  email: {
    host: 'smtp.example.com',
    port: '465',
    encryption: 'tls',
    from: 'a@example.com',
    to: 'b@example.com, c@example.com',
  },
  pagerduty: { routing_key: 'abc', action: 'block' },
  webhook: { url: 'https://ops.example.com/', secret: 'abc', agent: 'coder, writer', min_usd: '0.5' },
  langfuse: { public_key: 'pk', secret_key: 'sk' },
  otlp: { headers: 'authorization=Basic a=, x-tenant=b' },
};

describe('the form of a receiver', () => {
  it.each(notificationTypes)('produces a valid entry for %s', (type) => {
    const entry = {
      ...entryOf({ name: 'a', type, texts: texts[type] ?? {}, saved: [], kept: {} }),
      name: 'a',
    };
    expect(notificationSchema.safeParse(entry)).toMatchObject({ success: true });
  });

  it('parses lists, numbers and headers', () => {
    const of = (type: Draft['type']) =>
      entryOf({ name: 'a', type, texts: texts[type] ?? {}, saved: [], kept: {} });
    expect(of('webhook')['when']).toEqual({ agent: ['coder', 'writer'], min_usd: 0.5 });
    expect(of('otlp')['headers']).toEqual({ authorization: 'Basic a=', 'x-tenant': 'b' });
  });

  it.each([
    [['coder', 'writer'], 'coder, writer'],
    [['a, b', 'c'], '"a, b", c'],
    [['say "hi"', '"x"', '"'], 'say "hi", """x""", """"'],
    [['a "b", c'], '"a ""b"", c"'],
  ])('keeps the names %j that are shown as %s', (agent, shown) => {
    const draft = draftOf({
      name: 'a',
      type: 'webhook',
      entry: { when: { agent } },
    } as unknown as NotificationStatus);
    expect(draft.texts['agent']).toBe(shown);
    expect(entryOf(draft)['when']).toEqual({ agent });
  });

  it('starts from the saved entry, and keeps secrets that are not retyped and keys that it does not show', () => {
    const entry = {
      name: 'chat',
      type: 'slack',
      url: hiddenValue,
      max_per_minute: 10,
      max_age: null,
      api_url: 'https://slack.example.com/api',
      when: { action: ['block', 'chance'], kind: 'loop' },
    };
    const draft = draftOf({ name: 'chat', type: 'slack', entry } as unknown as NotificationStatus);
    expect(draft).toEqual({
      name: 'chat',
      type: 'slack',
      texts: { max_per_minute: '10', action: 'block, chance', kind: 'loop' },
      saved: ['url'],
      kept: { max_age: null, api_url: 'https://slack.example.com/api' },
    });
    const when = { action: ['block', 'chance'], kind: ['loop'] };
    const same = {
      type: 'slack',
      max_per_minute: 10,
      max_age: null,
      api_url: 'https://slack.example.com/api',
      when,
    };
    expect(entryOf(draft)).toEqual({ ...same, url: hiddenValue });
    const typed = { ...draft, texts: { ...draft.texts, token: 'xoxb', channel: '#a' } };
    expect(entryOf(typed)).toEqual({ ...same, token: 'xoxb', channel: '#a' });
  });
});

it.each<[Pick<NotificationStatus, 'when' | 'maxPerMinute'>, string]>([
  [{ when: {}, maxPerMinute: 10 }, 'all incidents; up to 10 per minute'],
  [
    { when: { kind: 'loop', action: ['chance', 'block'], min_usd: 0.5 }, maxPerMinute: null },
    'kind loop; action chance or block; at least $0.5',
  ],
  [{ when: { tool: 'a', min_tokens: 1_000_000 }, maxPerMinute: null }, 'tool a; at least 1,000,000 tokens'],
])('describeRules: describes %j', ({ when, maxPerMinute }, words) => {
  expect(describeRules({ when, maxPerMinute })).toBe(words);
});
