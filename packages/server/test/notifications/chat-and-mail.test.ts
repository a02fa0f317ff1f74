import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { notificationSchema } from '@loopwatch/contract';
import { noTriage } from '@loopwatch/contract/api';
import { describe, expect, it } from 'vitest';
import { addVerdict, toRow } from '../../src/incidents/fold.ts';
import type { EmailChannel, NotificationChannel } from '../../src/notifications/channel.ts';
import type { IncidentMessage, NotificationMessage } from '../../src/notifications/message.ts';
import { discordMessage } from '../../src/notifications/senders/discord.ts';
import { sendEmail } from '../../src/notifications/senders/email.ts';
import { send } from '../../src/notifications/senders/senders.ts';
import { teamsMessage } from '../../src/notifications/senders/teams.ts';
import { START, verdict } from '../verdicts.ts';
import { refuse, startMailServer } from './mail-server.ts';
import { startReceiver } from './receiver.ts';

function message(
  part: Partial<IncidentMessage> = {},
  own: Parameters<typeof verdict>[0] = {},
): IncidentMessage {
  const fold = addVerdict(undefined, verdict(own), START);
  if (fold === undefined) throw new Error('the first verdict is news');
  const incident = { ...toRow(fold), lastActivityAt: START, groupKey: 'g', triage: noTriage };
  const url = 'https://loops.test/incidents/i-1';
  return { type: 'incident.opened', id: 'msg_1', url, at: START, incident, ref: null, ...part };
}

const channel = (entry: object) => notificationSchema.parse({ name: 'ops', ...entry }) as NotificationChannel;
const context = { signal: new AbortController().signal, now: START };

/** The longest messages: plain letters, escapes of JSON, of Markdown, and characters of several bytes. */
const longest = ['x', '\u0001', '*', '漢', '👋'].flatMap((character): NotificationMessage[] => {
  const long = character.repeat(20_000);
  const own = { title: long, reason: long, agent: long, model: long, sessionId: long };
  return [message({}, own), message({ type: 'incident.resolved' }, { ...own, phase: 'resolved' })];
});

/** All texts in a value. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

describe('notifications: teams', () => {
  it('posts an Adaptive Card to the workflow, with the link to the incident', async () => {
    await using receiver = await startReceiver();
    receiver.reply = () => ({ status: 202 });
    const teams = channel({ type: 'teams', url: receiver.url });
    expect(await send(teams, message(), context)).toEqual({ outcome: 'sent' });
    expect(receiver.received[0]?.json).toMatchObject({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: {
            type: 'AdaptiveCard',
            actions: [{ type: 'Action.OpenUrl', url: 'https://loops.test/incidents/i-1' }],
          },
        },
      ],
    });
    expect(textsIn(receiver.received[0]?.json)).toContain('checkout-agent is looping: read_file ×5');
  });

  it('never exceeds the 28 KB that Teams accepts', () => {
    for (const one of longest) {
      const body = JSON.stringify(teamsMessage(one));
      expect(Buffer.byteLength(body)).toBeLessThan(28 * 1_024);
      expect(body.isWellFormed()).toBe(true);
    }
  });

  it('shows text from agents as it is: in text runs, which know no Markdown', () => {
    const reason = '[click](https://evil.test) **bold** <at>all</at>';
    const { attachments } = teamsMessage(message({}, { reason })) as {
      attachments: { content: { body: object[] } }[];
    };
    const blocks = attachments[0]?.content.body ?? [];
    expect(textsIn(blocks)).toContain(reason);
    expect(new Set(textsIn(blocks.map((block) => 'type' in block && block.type)))).toEqual(
      new Set(['RichTextBlock']),
    );
  });
});

describe('notifications: discord', () => {
  it('posts one message per incident, and updates it, in the thread of the URL', async () => {
    await using receiver = await startReceiver();
    receiver.reply = ({ path }) => (path.includes('/messages/') ? {} : { text: '{"id":"77"}' });
    const discord = channel({ type: 'discord', url: `${receiver.url}/api/webhooks/1/t?thread_id=5` });
    const first = await send(discord, message(), context);
    expect(first).toEqual({ outcome: 'sent', ref: '77' });
    const later = message({ type: 'incident.resolved', ref: '77' }, { phase: 'resolved' });
    expect(await send(discord, later, context)).toEqual({ outcome: 'sent', ref: '77' });
    expect(receiver.received.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /api/webhooks/1/t?thread_id=5&wait=true',
      'PATCH /api/webhooks/1/t/messages/77?thread_id=5',
    ]);
  });

  it('posts a new message when the old one is gone', async () => {
    await using receiver = await startReceiver();
    receiver.reply = ({ method }) => (method === 'PATCH' ? { status: 404 } : { text: '{"id":"78"}' });
    const discord = channel({ type: 'discord', url: receiver.url });
    expect(await send(discord, message({ ref: '77' }), context)).toEqual({ outcome: 'sent', ref: '78' });
  });

  it.each([
    ['the header', { 'retry-after': '3' }, '{"message":"You are being rate limited."}', 3_000],
    ['the body', {}, '{"message":"You are being rate limited.","retry_after":1.337,"global":false}', 1_337],
  ])('waits as long as %s of a 429 says', async (_, headers, text, afterMs) => {
    await using receiver = await startReceiver();
    receiver.reply = () => ({ status: 429, headers, text });
    const discord = channel({ type: 'discord', url: receiver.url });
    expect(await send(discord, message(), context)).toMatchObject({ outcome: 'retry', afterMs });
  });

  it('never exceeds the limits of embeds, and mentions no one', () => {
    for (const one of longest) {
      const { embeds, allowed_mentions: mentions } = discordMessage(one) as {
        embeds: [{ title: string; fields: { name: string; value: string }[] }];
        allowed_mentions: object;
      };
      const [{ title, fields }] = embeds;
      expect(title.length).toBeLessThanOrEqual(256);
      for (const { name, value } of fields) {
        expect(name.length).toBeLessThanOrEqual(256);
        expect(value.length).toBeGreaterThan(0);
        expect(value.length).toBeLessThanOrEqual(1_024);
      }
      expect(
        [title, ...fields.flatMap(({ name, value }) => [name, value])].join('').length,
      ).toBeLessThanOrEqual(6_000);
      expect(mentions).toEqual({ parse: [] });
    }
    expect(textsIn(discordMessage(message({}, { reason: '[a](https://evil.test) <@1>' })))).toContain(
      '\\[a\\]\\(https:\u200b//evil.test\\) \\<@1\\>',
    );
  });

  it('keeps its URL out of errors', async () => {
    await using receiver = await startReceiver();
    const url = `${receiver.url}/api/webhooks/1/very-secret`;
    receiver.reply = () => ({ status: 400, text: `bad request to ${url}` });
    expect(JSON.stringify(await send(channel({ type: 'discord', url }), message(), context))).not.toContain(
      'secret',
    );
  });
});

describe('notifications: email', () => {
  const mail = (port: number, more: object = {}) =>
    channel({
      type: 'email',
      host: '127.0.0.1',
      port,
      from: 'loops@example.com',
      to: 'ops@example.com',
      encryption: 'none',
      ...more,
    });

  it('sends plain text to all addresses, as one conversation per incident', async () => {
    await using server = await startMailServer();
    const to = ['a@example.com', 'b@example.com'];
    await send(mail(server.port, { to }), message(), context);
    await send(
      mail(server.port, { to }),
      message({ type: 'incident.resolved', id: 'msg_2' }, { phase: 'resolved' }),
      context,
    );
    const [first, second] = server.mails;
    expect(first).toMatchObject({ from: 'loops@example.com', to, secure: false });
    expect(first?.text).toContain('From: Loopwatch <loops@example.com>');
    expect(first?.text).toContain('Message-ID: <msg_1@example.com>');
    expect(first?.text).toContain('https://loops.test/incidents/i-1');
    expect(first?.text).toContain('Auto-Submitted: auto-generated');
    const [conversation] = /^References: .*$/m.exec(first?.text ?? '') ?? [];
    expect(conversation).toMatch(/<msg_\w+@example\.com>/);
    expect(second?.text).toContain(conversation);
  });

  it('adds no header and no address that an agent names', async () => {
    await using server = await startMailServer();
    const title = 'x\r\nBcc: evil@evil.test\r\n\r\nbody';
    expect(await send(mail(server.port), message({}, { title, agent: title }), context)).toEqual({
      outcome: 'sent',
    });
    expect(server.mails[0]?.to).toEqual(['ops@example.com']);
    expect(server.mails[0]?.text.split('\r\n\r\n')[0]).not.toMatch(/^Bcc:/m);
  });

  it.each([
    ['a wrong password', {}, { user: 'u', password: 'very-wrong' }, 'refused', /^SMTP 535 /],
    [
      'an unknown receiver',
      { onRcptTo: refuse(550, 'no such user') },
      {},
      'refused',
      /^SMTP 550 no such user/,
    ],
    ['a busy server', { onRcptTo: refuse(451, 'try later') }, {}, 'retry', /^SMTP 451 try later/],
  ] as const)('reports %s', async (_, options, more, outcome, reason) => {
    await using server = await startMailServer({ ...options, allowInsecureAuth: true });
    // Without encryption, settings allow no password; here it only spares a certificate.
    const entry = { ...mail(server.port), ...more } as EmailChannel;
    const result = await send(entry, message(), context);
    expect(result).toMatchObject({ outcome, reason: expect.stringMatching(reason) as string });
    expect(JSON.stringify(result)).not.toContain('very-wrong');
    expect(server.mails).toEqual([]);
  });

  it('sends nothing to a server without encryption, unless the setting says none', async () => {
    await using server = await startMailServer({ disabledCommands: ['STARTTLS'] });
    const result = await send(mail(server.port, { encryption: 'starttls' }), message(), context);
    expect(result.outcome).toBe('refused');
    expect(server.mails).toEqual([]);
  });

  it.each(['starttls', 'tls'] as const)(
    '%s: sends nothing to a server whose certificate is not trusted',
    async (encryption) => {
      await using server = await startMailServer({ secure: encryption === 'tls' });
      const result = await send(mail(server.port, { encryption }), message(), context);
      expect(result).toMatchObject({
        outcome: 'retry',
        reason: expect.stringMatching(/certificate|altnames/) as string,
      });
      expect(server.mails).toEqual([]);
    },
  );

  it('retries an unavailable server', async () => {
    const server = await startMailServer();
    await server[Symbol.asyncDispose]();
    expect(await send(mail(server.port), message(), context)).toMatchObject({
      outcome: 'retry',
      reason: expect.stringContaining('ECONNREFUSED') as string,
    });
  });

  it('ends its connection to a silent server when Loopwatch stops', async () => {
    const connected: Socket[] = [];
    const silent = createServer((socket) => connected.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const stop = new AbortController();
    const { port } = silent.address() as AddressInfo;
    const sending = send(mail(port), message(), { ...context, signal: stop.signal });
    await once(silent, 'connection');
    stop.abort(new Error('stopped'));
    expect(await sending).toEqual({ outcome: 'retry', reason: 'stopped' });
    const [socket] = connected;
    if (socket?.destroyed === false) await once(socket.resume(), 'close');
    silent.close();
    await once(silent, 'close');
  });

  it.each(['169.254.169.254', 'fe80::1', 'fd00:ec2::254'])(
    'connects to no link-local address: %s',
    async (host) => {
      expect(await sendEmail({ ...mail(25), host } as EmailChannel, message(), context)).toEqual({
        outcome: 'refused',
        reason: 'addresses where clouds serve credentials (link-local ones and a few others) are not allowed',
      });
    },
  );
});
