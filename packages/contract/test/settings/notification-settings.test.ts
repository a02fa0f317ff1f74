import { describe, expect, it } from 'vitest';
import { resolveSettings } from '../../src/internal.ts';

const name = 'loopwatch.yaml';
const resolve = (notifications: unknown, environment: Record<string, string> = {}) =>
  resolveSettings({ file: { name, value: { notifications } }, environment, flags: {} });
const faultsOf = (notifications: unknown): readonly string[] => {
  const resolved = resolve(notifications);
  return resolved.ok ? [] : resolved.errors;
};
const email = {
  name: 'mail',
  type: 'email',
  host: 'smtp.example.com',
  from: 'loops@example.com',
  to: ['ops@example.com'],
};
const webhook = { name: 'ops', type: 'webhook', url: 'https://example.com/hook', secret: 'very-secret' };

describe('notifications setting', () => {
  it('accepts each type with its defaults', () => {
    const resolved = resolve([
      webhook,
      { name: 'chat', type: 'slack', token_env: 'SLACK_TOKEN', channel: 'C1', when: { kind: 'loop' } },
      { name: 'teams', type: 'teams', url_env: 'TEAMS_URL' },
      { name: 'discord', type: 'discord', url_file: '/run/url' },
      email,
      { name: 'pager', type: 'pagerduty', routing_key_file: '/run/key', when: { action: ['block'] } },
      { name: 'scores', type: 'langfuse', public_key: 'pk', secret_key: 'sk' },
      { name: 'collector', type: 'otlp' },
    ]);
    expect(resolved.ok && resolved.settings.notifications).toMatchObject([
      { name: 'ops', when: {}, max_per_minute: 10 },
      { name: 'chat', api_url: 'https://slack.com/api' },
      { name: 'teams', max_per_minute: 10 },
      { name: 'discord', max_per_minute: 10 },
      { name: 'mail', port: 587, encryption: 'starttls' },
      { name: 'pager', api_url: 'https://events.pagerduty.com/v2/enqueue' },
      { name: 'scores', base_url: 'https://cloud.langfuse.com', score: 'loop' },
      { name: 'collector', endpoint: 'http://localhost:4318' },
    ]);
  });

  it('accepts a list in JSON from an environment variable', () => {
    const resolved = resolve([], { LOOPWATCH_NOTIFICATIONS: JSON.stringify([webhook]) });
    expect(resolved.ok && resolved.settings.notifications).toMatchObject([{ name: 'ops' }]);
  });

  it.each([
    [
      'an unknown key',
      [{ ...webhook, secrte: 'x' }],
      'unknown key notifications.0.secrte; did you mean secret?',
    ],
    ['a key of another type', [{ ...webhook, routing_key: 'x' }], 'unknown key notifications.0.routing_key'],
    [
      'an unknown rule',
      [{ ...webhook, when: { min_usdd: 1 } }],
      'unknown key notifications.0.when.min_usdd; did you mean min_usd?',
    ],
    [
      'an unknown type',
      [{ ...webhook, type: 'mail' }],
      'must be one of webhook, slack, teams, discord, email, pagerduty, langfuse, otlp',
    ],
    [
      'a wrong address',
      [{ ...webhook, url: 'example.com/very-secret' }],
      'notifications.0.url: must be a URL',
    ],
    [
      'no secret',
      [{ name: 'ops', type: 'webhook', url: webhook.url }],
      'needs one of secret, secret_env, secret_file',
    ],
    ['two sources of a secret', [{ ...webhook, secret_env: 'A' }], 'can have only one of secret, secret_env'],
    [
      'a password without a user',
      [{ ...email, password: 'very-secret' }],
      'notifications.0.user: is required with a password',
    ],
    [
      'a password without encryption',
      [{ ...email, user: 'u', password_env: 'P', encryption: 'none' }],
      'notifications.0.encryption: must not be none with a password',
    ],
    ['an address with a name', [{ ...email, to: 'Ops <ops@example.com>' }], 'notifications.0.to: '],
    [
      'a URL as a mail server',
      [{ ...email, host: 'smtp://mail.example.com' }],
      'notifications.0.host: must be a host name or an IP address',
    ],
    [
      'a bot without a channel',
      [{ name: 'a', type: 'slack', token: 'very-secret' }],
      'notifications.0.channel: is required with a bot token',
    ],
    ['a duplicate name', [webhook, webhook], 'notifications.1.name: is used twice: ops'],
    ['no name', [{ ...webhook, name: undefined }], 'notifications.0.name: is required'],
    ['no list', { secret: 'very-secret' }, 'notifications: must be a list, not an object'],
  ])('rejects %s without quoting a secret', (_, notifications, fault) => {
    const faults = faultsOf(notifications).join('\n');
    expect(faults).toContain(fault);
    expect(faults).not.toContain('very-secret');
  });
});
