import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { notifyCommand } from '../../src/commands/notify.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

/** Runs the command against a receiver that answers with this status. */
async function run(name: string, status = 200) {
  const types: unknown[] = [];
  const receiver = createServer((request, response) => {
    let text = '';
    request.on('data', (piece: Buffer) => {
      text += piece.toString();
    });
    request.on('end', () => {
      types.push((JSON.parse(text) as { type: unknown }).type);
      response.writeHead(status, { connection: 'close' }).end();
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => receiver.once('listening', resolve));
  const url = `http://127.0.0.1:${String((receiver.address() as AddressInfo).port)}`;
  vi.stubEnv('LOOPWATCH_NOTIFICATIONS', JSON.stringify([{ name: 'ops', type: 'webhook', url, secret: 's' }]));
  const written: string[] = [];
  const write = (text: unknown) => written.push(String(text)) > 0;
  vi.spyOn(process.stdout, 'write').mockImplementation(write);
  vi.spyOn(process.stderr, 'write').mockImplementation(write);
  try {
    await notifyCommand().parseAsync(['test', name], { from: 'user' });
  } finally {
    receiver.close();
  }
  return { types, written: written.join(''), exitCode: process.exitCode };
}

it('loopwatch notify test: sends a test message to the configured receiver, without a server', async () => {
  expect(await run('ops')).toEqual({ types: ['test'], written: 'ops: delivered\n', exitCode: undefined });
});

it('loopwatch notify test: exits with 1 and the reason when delivery fails', async () => {
  expect(await run('ops', 404)).toEqual({
    types: ['test'],
    written: 'ops: not delivered: HTTP 404\n',
    exitCode: 1,
  });
});

it('loopwatch notify test: lists the configured receivers when the name is unknown', async () => {
  await expect(run('opps')).rejects.toThrow('No receiver is named opps; configured: ops');
});
