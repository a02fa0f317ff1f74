import { asPrinted, blocksCheckedBy, printedPattern } from '@loopwatch/testkit/documented';
import { describe, expect, it } from 'vitest';
import { claudeLoop, folderOf } from '../scan/histories.ts';
import { type Check, shellBlocks, testBlocks } from './checks.ts';
import { runDocumented } from './run-documented.ts';
import { sessionsAt, sharedServer } from './server.ts';

const page = 'docs/api.md';
const [response, stream] = blocksCheckedBy(import.meta.url, page)
  .filter(({ language }) => language !== 'sh')
  .map(({ text }) => text);

const host = sharedServer();

const request = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`http://${host()}/api/v1${path}`, init);
const post = (lines: readonly string[]): Promise<Response> =>
  request('/events', { method: 'POST', body: lines.join('\n') });

/** Posts a session with a loop. */
async function loopIn(session: string): Promise<void> {
  await post(claudeLoop(session, 6).map((record) => JSON.stringify(record)));
  await expect.poll(async () => (await sessionsAt(host(), 1))[session]).toBe(1);
}

const checks: Record<string, Check> = {
  "The server's API": async (commands) => {
    await loopIn('labelled');
    const { items } = (await (await request('/incidents')).json()) as { items: { id: string }[] };
    await request(`/incidents/${items[0]!.id}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: '{"status":"acknowledged"}',
    });
    const ran = await runDocumented(commands, { folder: await folderOf({}), host: host() });
    expect(ran).toMatchObject({ nonZero: [], stdout: expect.stringMatching(/precision/i) });
  },
};

describe(`commands in ${page}`, () => testBlocks(checks, shellBlocks(import.meta.url, page)));

const dashboard: Record<string, Check> = {
  'The dashboard': async (commands) => {
    const ran = await runDocumented(commands, { folder: await folderOf({}), host: host() });
    expect(ran.nonZero).toEqual([]);
    expect(JSON.parse(ran.stdout)).toMatchObject({ agent: 'checkout-agent', version: '2.4.0' });
  },
};
const erasure: Record<string, Check> = {
  'Erase sessions, and see who did': async (commands) => {
    await loopIn('s-17');
    const yes = commands.replaceAll(
      'npx loopwatch erase',
      `npx loopwatch erase --yes --server http://${host()}`,
    );
    const ran = await runDocumented(yes, { folder: await folderOf({}) });
    expect(ran.nonZero).toEqual([]);
    expect(ran.stdout).toContain('Erased 1 session, 1 incident');
    expect((await request('/sessions/s-17')).status).toBe(404);
  },
  'Audit log': async (commands) => {
    const ran = await runDocumented(commands, { folder: await folderOf({}), host: host() });
    const { items } = JSON.parse(ran.stdout) as { items: { subject: string }[] };
    expect(items.map(({ subject }) => subject)).toContain('session:s-17');
  },
};
describe('commands in docs/dashboard.md', () =>
  testBlocks(dashboard, shellBlocks(import.meta.url, 'docs/dashboard.md')));
describe('commands in docs/erasure.md', () =>
  testBlocks(erasure, shellBlocks(import.meta.url, 'docs/erasure.md')));

it('docs/api.md: the response to posted events is as printed', async () => {
  const event = (name: string) => JSON.stringify({ sessionId: 'posted', type: 'tool_call_request', name });
  const answer: unknown = await (await post([event('a'), event('b'), 'not JSON'])).json();
  const printed: unknown = JSON.parse(response!);
  expect(asPrinted(answer, printed)).toEqual(printed);
  expect(answer).toEqual({ ...(printed as object), rejected: [expect.any(Object)] });
});

it('docs/api.md: a stream of verdicts is as printed', async () => {
  await loopIn('streamed');
  const signal = AbortSignal.timeout(10_000);
  const { body } = await request('/sessions/streamed/verdicts/stream', { signal });
  const pattern = printedPattern(stream!.trim());
  let read = '';
  for await (const piece of body!.pipeThrough(new TextDecoderStream())) {
    read += piece;
    // The answer has no end.
    if (read.includes('event: verdict') && read.endsWith('\n\n')) break;
  }
  expect(read.trim()).toMatch(pattern);
});
