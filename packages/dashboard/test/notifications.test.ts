import { resolveSettings } from '@loopwatch/contract';
import type { NotificationStatus } from '@loopwatch/contract/api';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { notificationExamples } from '../src/status/notification-examples.ts';
import { rulesInWords } from '../src/status/notification-rules.ts';

it.each(notificationExamples)('the example of $title is a configuration', ({ type, yaml }) => {
  const file = { name: 'example', value: parse(yaml) as unknown };
  const resolved = resolveSettings({ file, environment: {}, flags: {} });
  expect(resolved.ok && resolved.settings.notifications.map((one) => one.type)).toEqual([type]);
});

it.each<[Pick<NotificationStatus, 'when' | 'maxPerMinute'>, string]>([
  [{ when: {}, maxPerMinute: 10 }, 'every incident; up to 10 a minute'],
  [
    { when: { kind: 'loop', action: ['chance', 'block'], min_usd: 0.5 }, maxPerMinute: null },
    'kind loop; action chance or block; at least $0.5',
  ],
  [{ when: { tool: 'a', min_tokens: 1_000_000 }, maxPerMinute: null }, 'tool a; at least 1,000,000 tokens'],
])('rules in words: %j', ({ when, maxPerMinute }, words) => {
  expect(rulesInWords({ when, maxPerMinute })).toBe(words);
});
