import { execFile } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Settings } from '@loopwatch/contract';
import { resolveSettings } from '@loopwatch/contract/internal';
import { fencedBlocks } from '@loopwatch/testkit/documented';
import { describe, expect } from 'vitest';
import { parse } from 'yaml';
import { folderOf } from '../scan/histories.ts';
import { type Check, shellBlocks, testBlocks } from './checks.ts';
import { runDocumented } from './run-documented.ts';

const page = 'docs/kafka-security.md';
const run = promisify(execFile);

function kafkaOf(source: Partial<Parameters<typeof resolveSettings>[0]>): Settings['kafka'] {
  const resolved = resolveSettings({ environment: {}, flags: {}, ...source });
  if (!resolved.ok) throw new Error(JSON.stringify(resolved));
  return resolved.settings.kafka;
}

/** The settings that the exported variables give. */
async function exported(commands: string): Promise<Settings['kafka']> {
  const show = `"${process.execPath}" -p 'JSON.stringify(process.env)'`;
  const ran = await runDocumented(`${commands}\n${show}`, { folder: await folderOf({}) });
  expect(ran.nonZero).toEqual([]);
  return kafkaOf({ environment: JSON.parse(ran.stdout) as Record<string, string> });
}

const checks: Record<string, Check> = {
  SASL: async (commands) => {
    const yaml = fencedBlocks(page).find(({ language, title }) => language === 'yaml' && title === 'SASL');
    const file = { name: page, value: parse(yaml!.text) as unknown };
    expect(await exported(commands)).toEqual(kafkaOf({ file }));
  },
  'Client certificates': async (commands) => {
    const folder = await folderOf({});
    const password = 'secret';
    const store = ['-keystore', 'client.jks', '-storepass', password, '-alias', 'loopwatch'];
    await run('keytool', ['-genkeypair', ...store, '-keyalg', 'EC', '-dname', 'CN=loopwatch'], {
      cwd: folder,
    });
    const ran = await runDocumented(commands, { folder, password });
    expect(ran.nonZero).toEqual([]);
    const read = (name: string) => readFile(join(folder, name), 'utf8');
    const certificate = new X509Certificate(await read('loopwatch.pem'));
    expect(certificate.subject).toBe('CN=loopwatch');
    expect(certificate.checkPrivateKey(createPrivateKey(await read('loopwatch-key.pem')))).toBe(true);
  },
  'Managed services': async (commands) => {
    expect(await exported(commands)).toMatchObject({
      brokers: ['acme.servicebus.windows.net:9093'],
      security_protocol: 'SASL_SSL',
      sasl: { mechanism: 'PLAIN', username: '$ConnectionString', password_file: expect.any(String) },
    });
  },
};

describe(`commands in ${page}`, () => testBlocks(checks, shellBlocks(import.meta.url, page)));
