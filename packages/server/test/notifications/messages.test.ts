import { type NotificationRules, notificationSchema } from '@loopwatch/contract';
import type { IncidentItem } from '@loopwatch/contract/api';
import { noTriage } from '@loopwatch/contract/api';
import { describe, expect, it } from 'vitest';
import { addVerdict, toRow } from '../../src/incidents/fold.ts';
import type { NotificationChannel } from '../../src/notifications/channel.ts';
import type { IncidentMessage, NotificationMessage } from '../../src/notifications/message.ts';
import { messageText, plainText } from '../../src/notifications/message-text.ts';
import { matches } from '../../src/notifications/rules.ts';
import { langfuseScore } from '../../src/notifications/senders/langfuse.ts';
import { otlpLogs } from '../../src/notifications/senders/otlp.ts';
import { pagerdutyEvent } from '../../src/notifications/senders/pagerduty.ts';
import { send } from '../../src/notifications/senders/senders.ts';
import { slackContent } from '../../src/notifications/senders/slack.ts';
import { START, verdict } from '../verdicts.ts';
import { startReceiver } from './receiver.ts';

function incident(part: Parameters<typeof verdict>[0] = {}): IncidentItem {
  const cost = { calls: 41, turns: 12, characters: 0, tokens: 1_234_000, usd: 3.4, ms: 480_000 };
  const fold = addVerdict(undefined, verdict({ cost, ...part }), START);
  if (fold === undefined) throw new Error('the first verdict is news');
  return { ...toRow(fold), lastActivityAt: START, groupKey: 'g', triage: noTriage };
}

function message(part: Partial<IncidentMessage> = {}): IncidentMessage {
  return {
    type: 'incident.opened',
    id: 'msg_1',
    url: 'https://loops.test/incidents/i-1',
    at: START,
    incident: incident(),
    ref: null,
    ...part,
  };
}

const channel = (entry: object) => notificationSchema.parse({ name: 'ops', ...entry }) as NotificationChannel;
const context = { signal: new AbortController().signal, now: START };

describe('notifications: message text', () => {
  it('names agent, loop, start, cost, action and link', () => {
    expect(plainText(message()).split('\n')).toEqual([
      'checkout-agent is looping: read_file ×5',
      'Agent: checkout-agent, gpt-5-mini',
      'Reason: read_file was called 5 times in a row with the same arguments',
      'Since: 2026-08-03 14:02:11 UTC (8 min)',
      'Cost so far: $3.40, 1,234,000 tokens, 41 calls, 12 turns',
      'Action: Warning: reported only, the agent was not stopped',
      'Session: s-1',
      'https://loops.test/incidents/i-1',
    ]);
  });

  it.each([Date.UTC(2099, 0, 1), 1_000])(
    'says since when, also if the clock of the agent is at %d',
    (time) => {
      const began = { eventIndex: 0, eventId: 'e-1', time: time - 480_000 };
      const text = plainText(message({ incident: incident({ time, detectedAt: START, began }) }));
      expect(text).toContain('Since: 2026-08-03 13:54:11 UTC (8 min)');
    },
  );

  it.each([
    ['incident.escalated', {}, 'checkout-agent is still looping: '],
    [
      'incident.resolved',
      { phase: 'resolved', outcome: 'recovered' },
      'checkout-agent recovered from a loop: ',
    ],
    ['incident.resolved', { phase: 'resolved', outcome: 'ended' }, 'checkout-agent ended in a loop: '],
    ['incident.opened', { kind: 'limit' }, 'checkout-agent reached a limit: '],
    ['incident.opened', { kind: 'outage', agent: null }, 'An agent sees an outage: '],
  ] as const)('%s of %j begins with %s', (type, part, title) => {
    expect(plainText(message({ type, incident: incident(part) }))).toMatch(title);
  });

  it('of a digest counts open incidents, and names the period', () => {
    const digest: NotificationMessage = {
      type: 'incidents.digest',
      id: 'd',
      url: 'u',
      at: START + 60_000,
      since: START,
      count: 17,
      open: 17,
    };
    expect(plainText(digest)).toBe('17 more incidents in the last minute\nu');
    expect(plainText({ ...digest, open: 2, at: START + 3_600_000 })).toBe(
      '17 more incidents since 2026-08-03 14:02:11 UTC, 2 of them still open\nu',
    );
  });
});

describe('notifications: rules', () => {
  const known = incident({ action: 'block' });
  it.each<[NotificationRules, boolean]>([
    [{}, true],
    [{ kind: 'loop' }, true],
    [{ kind: ['limit', 'outage'] }, false],
    [{ detector: 'tool-repeat' }, true],
    [{ detector: ['semantic'] }, false],
    [{ action: 'block' }, true],
    [{ action: ['warn', 'chance'] }, false],
    [{ agent: 'checkout-agent' }, true],
    [{ agent: 'checkout' }, false],
    [{ model: ['gpt-5-mini', 'other'] }, true],
    [{ tool: 'read_file' }, true],
    [{ tool: 'write_file' }, false],
    [{ min_usd: 3.4 }, true],
    [{ min_usd: 3.41 }, false],
    [{ min_tokens: 1_000_000 }, true],
    [{ min_tokens: 2_000_000 }, false],
    [{ kind: 'loop', tool: 'write_file' }, false],
  ])('%j: %s', (when, expected) => expect(matches(when, known)).toBe(expected));

  it('unknown costs reach no minimum', () => {
    const unknown = incident({ cost: { ...incident().cost, tokens: null, usd: null }, tool: null });
    expect(matches({ min_usd: 0 }, unknown)).toBe(false);
    expect(matches({ min_tokens: 0 }, unknown)).toBe(false);
    expect(matches({ tool: 'read_file' }, unknown)).toBe(false);
  });
});

describe('notifications: text from agents', () => {
  it.each(['\n', '\r\n', '\u2028', '\u0085'])('pretends to be no other line after %j', (lineBreak) => {
    const hostile = `bot${lineBreak}Action: none${lineBreak}https://evil.test`;
    const one = incident({
      agent: hostile,
      model: hostile,
      reason: hostile,
      title: hostile,
      sessionId: hostile,
    });
    const { title, facts } = messageText(message({ incident: one }));
    const texts = [title, ...facts.map(({ text }) => text)];
    expect(texts.filter((text) => /[\p{Cc}\u2028]/u.test(text))).toEqual([]);
    expect(plainText(message({ incident: one })).split('\n')).toHaveLength(facts.length + 2);
  });
});

describe('notifications: slack', () => {
  it('escapes text from agents, so that it cannot mention people or add links', () => {
    const reason = '<!channel> & <https://evil.test|click> *bold*';
    const text = JSON.stringify(slackContent(message({ incident: incident({ reason }) })));
    expect(text).not.toContain('<!channel>');
    expect(text).not.toContain('<https://evil');
    expect(text).toContain('&lt;!channel&gt; &amp; ');
    expect(text).toContain('<https://loops.test/incidents/i-1|Open in Loopwatch>');
  });

  it('makes no links of addresses and names in text from agents', () => {
    const { blocks } = slackContent(message());
    const texts = JSON.stringify(blocks).match(/"type":"mrkdwn"/g) ?? [];
    expect(JSON.stringify(blocks).match(/"verbatim":true/g)).toHaveLength(texts.length);
  });

  it('respects the limits of Slack blocks', () => {
    const { blocks } = slackContent(message({ incident: incident({ reason: '<'.repeat(9_000) }) }));
    const [section] = blocks as [{ text: { text: string } }];
    expect(section.text.text.length).toBeLessThanOrEqual(3_000);
  });

  it('with a bot token, posts once and updates that message', async () => {
    await using receiver = await startReceiver();
    receiver.reply = () => ({ text: '{"ok":true,"channel":"C1","ts":"17.5"}' });
    const slack = channel({ type: 'slack', token: 'xoxb', channel: '#loops', api_url: receiver.url });
    const first = await send(slack, message(), context);
    const ref = first.outcome === 'sent' ? (first.ref ?? null) : null;
    await send(slack, message({ type: 'incident.resolved', ref }), context);
    expect(receiver.received.map(({ path, json }) => [path, json['channel'], json['ts']])).toEqual([
      ['/chat.postMessage', '#loops', undefined],
      ['/chat.update', 'C1', '17.5'],
    ]);
    expect(receiver.received[0]?.headers.authorization).toBe('Bearer xoxb');
  });

  it.each([
    ['invalid_auth', 'refused'],
    ['ratelimited', 'retry'],
    ['internal_error', 'retry'],
  ])('classifies the error %s in a 200 response as %s', async (error, outcome) => {
    await using receiver = await startReceiver();
    receiver.reply = () => ({ text: JSON.stringify({ ok: false, error }) });
    const slack = channel({ type: 'slack', token: 'xoxb', channel: 'C1', api_url: receiver.url });
    expect(await send(slack, message(), context)).toMatchObject({ outcome, reason: error });
  });

  it('posts a new message when the old one is gone', async () => {
    await using receiver = await startReceiver();
    receiver.reply = ({ path }) => ({
      text: path === '/chat.update' ? '{"ok":false,"error":"message_not_found"}' : '{"ok":true,"ts":"2"}',
    });
    const slack = channel({ type: 'slack', token: 'xoxb', channel: 'C1', api_url: receiver.url });
    const sent = await send(slack, message({ ref: '{"channel":"C1","ts":"1"}' }), context);
    expect(sent.outcome).toBe('sent');
    expect(receiver.received.map(({ path }) => path)).toEqual(['/chat.update', '/chat.postMessage']);
  });
});

describe('notifications: pagerduty', () => {
  it('triggers and resolves one alert per incident', async () => {
    await using receiver = await startReceiver();
    receiver.reply = () => ({ status: 202 });
    const pager = channel({ type: 'pagerduty', routing_key: 'R', api_url: receiver.url });
    await send(pager, message({ incident: incident({ action: 'block' }) }), context);
    await send(
      pager,
      message({ type: 'incident.resolved', incident: incident({ phase: 'resolved' }) }),
      context,
    );
    expect(receiver.received.map(({ json }) => json)).toMatchObject([
      {
        routing_key: 'R',
        event_action: 'trigger',
        dedup_key: 'i-1',
        client_url: 'https://loops.test/incidents/i-1',
        payload: { severity: 'critical', source: 'checkout-agent', component: 'read_file' },
      },
      { routing_key: 'R', event_action: 'resolve', dedup_key: 'i-1' },
    ]);
  });

  it('keeps what agents name on one line', () => {
    const name = 'a\r\nb\u202e';
    const hostile = incident({ agent: name, tool: { name, signature: name } });
    const { payload } = pagerdutyEvent(message({ incident: hostile })) as { payload: object };
    const texts = JSON.stringify(payload);
    expect(payload).toMatchObject({ source: expect.stringMatching(/^a.*b/), component: expect.any(String) });
    expect(texts).not.toMatch(/\\[rn]|\u202e/);
  });

  it('truncates a long summary', () => {
    const long = message({ incident: incident({ title: 'x'.repeat(5_000) }) });
    const { payload } = pagerdutyEvent(long) as { payload: { summary: string } };
    expect(payload.summary).toHaveLength(1_024);
  });
});

it.each(['', 'x'])('notifications: cuts no character in half after %j', (begin) => {
  const title = begin + '👋'.repeat(2_000);
  const one = message({ incident: incident({ title, reason: title, agent: title }) });
  // JSON escapes what is half a character.
  for (const body of [slackContent(one), pagerdutyEvent(one)])
    expect(JSON.stringify(body)).not.toMatch(/\\ud/);
});

describe('notifications: langfuse', () => {
  it('writes one score per incident, replaced by later states', async () => {
    await using receiver = await startReceiver();
    const scores = channel({ type: 'langfuse', base_url: receiver.url, public_key: 'pk', secret_key: 'sk' });
    await send(scores, message(), context);
    await send(scores, message({ type: 'incident.resolved', id: 'msg_2' }), context);
    const [first, last] = receiver.received;
    expect(first?.path).toBe('/api/public/scores');
    expect(first?.headers.authorization).toBe(`Basic ${btoa('pk:sk')}`);
    expect(first?.json).toMatchObject({ name: 'loop', value: 1, dataType: 'BOOLEAN', sessionId: 's-1' });
    expect(last?.json['id']).toBe(first?.json['id']);
    expect(langfuseScore({ name: 'ops', score: 'l' }, message())).toMatchObject({ name: 'l' });
  });
});

describe('notifications: otlp', () => {
  it('writes the event gen_ai.evaluation.result as a log record', async () => {
    await using receiver = await startReceiver();
    const otlp = channel({ type: 'otlp', endpoint: `${receiver.url}/`, headers: { 'x-key': 'k' } });
    await send(otlp, message(), context);
    const [request] = receiver.received;
    expect(request?.path).toBe('/v1/logs');
    expect(request?.headers['x-key']).toBe('k');
    expect(request?.json).toEqual(JSON.parse(JSON.stringify(otlpLogs(message(), START))));
    expect(request?.json).toMatchObject({
      resourceLogs: [{ scopeLogs: [{ logRecords: [{ eventName: 'gen_ai.evaluation.result' }] }] }],
    });
    expect(request?.text).toContain('{"key":"gen_ai.conversation.id","value":{"stringValue":"s-1"}}');
  });
});

describe('notifications: receivers', () => {
  it('does not follow redirects', async () => {
    await using receiver = await startReceiver();
    receiver.reply = () => ({ status: 302, headers: { location: 'https://elsewhere.test' } });
    const hook = channel({ type: 'webhook', url: receiver.url, secret: 'whsec_AAAA' });
    const reason = 'HTTP 302: redirects are not followed';
    expect(await send(hook, message(), context)).toEqual({ outcome: 'refused', reason });
  });

  it('retries an unavailable receiver', async () => {
    const receiver = await startReceiver();
    await receiver[Symbol.asyncDispose]();
    const hook = channel({ type: 'webhook', url: receiver.url, secret: 's' });
    expect(await send(hook, message(), context)).toMatchObject({
      outcome: 'retry',
      reason: expect.stringContaining('ECONNREFUSED') as string,
    });
  });
});
