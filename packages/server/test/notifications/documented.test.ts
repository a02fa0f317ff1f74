import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { notificationSchema, resolveSettings } from '@loopwatch/contract';
import { tempDir } from '@loopwatch/testkit';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import type { NotificationChannel } from '../../src/index.ts';
import { sendTest } from '../../src/notifications/notifications.ts';
import { startReceiver } from './receiver.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../docs/notifications.md'), 'utf8');
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(([, text = '']) => text);

it.each(blocks('yaml'))('docs/notifications.md: a configuration is accepted: %s', (text) => {
  const file = { name: 'docs', value: parse(text) as unknown };
  expect(resolveSettings({ file, environment: {}, flags: {} })).toMatchObject({ ok: true });
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
