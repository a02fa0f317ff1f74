import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { notificationSchema } from '@loopwatch/contract';
import { noTriage } from '@loopwatch/contract/api';
import { resolveSettings } from '@loopwatch/contract/internal';
import { tempDir } from '@loopwatch/testkit';
import { asPrinted, blocksCheckedBy } from '@loopwatch/testkit/documented';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { addVerdict, toRow } from '../../src/incidents/fold.ts';
import type { NotificationChannel } from '../../src/index.ts';
import { sendTest } from '../../src/notifications/notifications.ts';
import { webhookBody } from '../../src/notifications/senders/webhook.ts';
import { START, verdict } from '../verdicts.ts';
import { startReceiver } from './receiver.ts';

const documented = blocksCheckedBy(import.meta.url);
const blocks = (language: string) =>
  documented.filter((block) => block.language === language).map(({ text }) => text);

it.each(blocks('yaml'))('docs/notifications.md: a configuration is accepted: %s', (text) => {
  const file = { name: 'docs', value: parse(text) as unknown };
  expect(resolveSettings({ file, environment: {}, flags: {} })).toMatchObject({ ok: true });
});

it('docs/notifications.md: a message looks as printed', () => {
  const printed = JSON.parse(blocks('json')[0] ?? '') as {
    id: string;
    timestamp: string;
    data: { url: string; incident: { id: string; cost: { calls: number; usd: number } } };
  };
  const { id, timestamp, data } = printed;
  const cost = { turns: 5, characters: 0, tokens: null, ms: 5_000, ...data.incident.cost };
  const fold = addVerdict(undefined, verdict({ incidentId: data.incident.id, agent: 'coder', cost }), START);
  if (fold === undefined) throw new Error('the first verdict is news');
  const incident = { ...toRow(fold), lastActivityAt: START, groupKey: 'g', triage: noTriage };
  const at = Date.parse(timestamp);
  const body = webhookBody({ type: 'incident.opened', id, at, url: data.url, incident, ref: null });
  expect(asPrinted(body, printed)).toEqual(printed);
});

interface Verifier {
  readonly isFromLoopwatch: (secret: string, headers: object, body: string, now?: number) => boolean;
}

it.each(['a-plain-secret', `whsec_${Buffer.from('binary\0key').toString('base64')}`])(
  'docs/notifications.md: the printed code verifies what is sent, and nothing else (%s)',
  async (secret) => {
    await using folder = await tempDir();
    await using receiver = await startReceiver();
    const file = join(folder.path, 'verify.mjs');
    writeFileSync(file, blocks('js')[0] ?? '');
    const { isFromLoopwatch } = (await import(pathToFileURL(file).href)) as Verifier;
    const entry = { name: 'ops', type: 'webhook', url: receiver.url, secret };
    const channel = notificationSchema.parse(entry) as NotificationChannel;
    const { signal } = new AbortController();
    await sendTest(channel, { baseUrl: 'https://loops.test', now: Date.now(), signal });
    const [request] = receiver.received;
    if (request === undefined) throw new Error('the message was sent');
    const { headers, text } = request;
    expect(isFromLoopwatch(secret, headers, text)).toBe(true);
    expect(isFromLoopwatch('another', headers, text)).toBe(false);
    expect(isFromLoopwatch(secret, headers, `${text} `)).toBe(false);
    expect(isFromLoopwatch(secret, { ...headers, 'webhook-id': 'msg_2' }, text)).toBe(false);
    expect(isFromLoopwatch(secret, headers, text, Date.now() + 600_000)).toBe(false);
  },
);
