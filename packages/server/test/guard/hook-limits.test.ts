import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HookAgent } from '@loopwatch/contract/api';
import { tempDir } from '@loopwatch/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import { startServer, topics } from '../running-server.ts';
import { START } from '../verdicts.ts';

const openDatabase = sharedPglite();
/** Agents whose transcripts tell of usage. */
const agents = ['claude-code', 'codex', 'gemini'] as const satisfies readonly HookAgent[];
type TranscribedAgent = (typeof agents)[number];

/** A model request of 100,000 input and 10,000 output tokens, as each agent writes it to its transcript. */
const turnOf: Readonly<Record<TranscribedAgent, (n: number, session: string) => readonly object[]>> = {
  'claude-code': (n, sessionId) =>
    // A line for each block, with the usage of the whole message.
    ['text', 'tool_use'].map((type, block) => ({
      type: 'assistant',
      uuid: `u-${String(n)}-${String(block)}`,
      sessionId,
      timestamp: '2026-11-26T10:00:00Z',
      message: {
        id: `msg-${String(n)}`,
        role: 'assistant',
        model: 'claude-opus-5',
        content: [
          type === 'text'
            ? { type, text: 'Let me see' }
            : { type, id: `t-${String(n)}`, name: 'Read', input: {} },
        ],
        usage: { input_tokens: 100_000, output_tokens: 10_000 },
      },
    })),
  codex: (n, id) => [
    ...(n === 0 ? [{ timestamp: '2026-11-26T10:00:00Z', type: 'session_meta', payload: { id } }] : []),
    { timestamp: '2026-11-26T10:00:00Z', type: 'turn_context', payload: { model: 'claude-opus-5' } },
    {
      timestamp: '2026-11-26T10:00:00Z',
      type: 'event_msg',
      payload: {
        type: 'token_count',
        info: {
          total_token_usage: { total_tokens: 110_000 * (n + 1) },
          last_token_usage: { input_tokens: 100_000, output_tokens: 10_000 },
        },
      },
    },
  ],
  gemini: (n, sessionId) => [
    ...(n === 0 ? [{ sessionId, projectHash: 'p', startTime: '2026-11-26T10:00:00Z' }] : []),
    // A message is written again when its call has returned.
    ...[1, 2].map(() => ({
      id: `m-${String(n)}`,
      timestamp: '2026-11-26T10:00:00Z',
      type: 'gemini',
      content: 'Let me see',
      model: 'claude-opus-5',
      tokens: { input: 100_000, output: 10_000 },
    })),
  ],
};
/** 100,000 x $5 + 10,000 x $25 a million. */
const USD_PER_TURN = 0.75;

interface RunOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly input?: object;
  /** Turns that the transcript holds before the server knows the session. */
  readonly earlier?: number;
}

/** Makes six calls, each in a turn of its own. @returns which of them were denied, and what the log recorded */
async function sixCalls(
  agent: TranscribedAgent,
  set: object,
  { headers, input, earlier = 0 }: RunOptions = {},
) {
  // Settings apply within a second of the server's clock.
  let clock = START;
  const { url, log, server } = await startServer({ openDatabase, now: () => (clock += 1_000) });
  const folder = await tempDir();
  onTestFinished(async () => {
    await server.stop();
    await folder.remove();
  });
  const session = `s-${agent}`;
  const path = join(folder.path, 'transcript.jsonl');
  await writeFile(path, '');
  const write = async (n: number) => {
    for (const record of turnOf[agent](n, session)) {
      // Agents write while hooks read.
      const line = `${JSON.stringify(record)}\n`;
      await appendFile(path, line.slice(0, 30));
      await appendFile(path, line.slice(30));
    }
  };
  const post = async (address: string, body: object, method = 'POST'): Promise<unknown> => {
    const all = { 'content-type': 'application/json', ...headers };
    const response = await fetch(`${url}/api/v1${address}`, {
      method,
      headers: all,
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
    return await response.json();
  };
  await post('/settings/server', { set }, 'PUT');
  const hook = (event: string, more: object) =>
    post(`/hooks/${agent}`, {
      session_id: session,
      hook_event_name: event,
      transcript_path: path,
      ...(agent === 'codex' && { turn_id: 't' }),
      ...input,
      ...more,
    });
  for (let n = 0; n < earlier; n += 1) await write(n);
  const isGemini = agent === 'gemini';
  await hook(isGemini ? 'BeforeAgent' : 'UserPromptSubmit', { prompt: 'Look' });
  const denied: boolean[] = [];
  for (let n = 0; n < 6; n += 1) {
    await write(earlier + n);
    const id = isGemini ? {} : { tool_use_id: `t-${String(n)}` };
    const call = { tool_name: 'Read', tool_input: { file_path: `f-${String(n)}` }, ...id };
    const before = JSON.stringify(await hook(isGemini ? 'BeforeTool' : 'PreToolUse', call));
    denied.push(before.includes('"deny"'));
    if (denied.at(-1) === false)
      await hook(isGemini ? 'AfterTool' : 'PostToolUse', { ...call, tool_response: `text ${String(n)}` });
  }
  const events = log.values(topics.events) as { type: string; usage?: object; model?: string }[];
  return { denied, usages: events.filter(({ usage }) => usage !== undefined) };
}

const [runs, stops] = [false, true];

describe.each(agents)('limits in the hooks of %s', (agent) => {
  it.each<[what: string, set: object, denied: boolean[]]>([
    ['none', {}, [runs, runs, runs, runs, runs, runs]],
    ['dollars for two turns', { 'budget.usd': USD_PER_TURN * 2 }, [runs, stops, stops, stops, stops, stops]],
    ['dollars for four turns', { 'budget.usd': USD_PER_TURN * 4 }, [runs, runs, runs, stops, stops, stops]],
    [
      'a cent more than for four turns',
      { 'budget.usd': USD_PER_TURN * 4 + 0.01 },
      [runs, runs, runs, runs, stops, stops],
    ],
    ['tokens for three turns', { 'budget.tokens': 330_000 }, [runs, runs, stops, stops, stops, stops]],
    [
      'four model requests in a prompt',
      { 'turn_requests.enabled': true, 'turn_requests.max_turn_requests': 4 },
      [runs, runs, runs, runs, stops, stops],
    ],
  ])('limits in hooks: %s', async (_what, set, expected) => {
    const { denied, usages } = await sixCalls(agent, set);
    expect(denied).toEqual(expected);
    // Each turn once, although transcripts repeat it.
    expect(usages).toHaveLength(6);
    expect(usages[0]).toMatchObject({
      type: 'turn_finished',
      model: 'claude-opus-5',
      usage: { inputTokens: 100_000, outputTokens: 10_000 },
    });
  });

  it('limits in hooks: turns before the server knew the session count, and are not recorded again', async () => {
    const { denied, usages } = await sixCalls(agent, { 'budget.usd': USD_PER_TURN * 4 }, { earlier: 2 });
    expect(denied).toEqual([runs, stops, stops, stops, stops, stops]);
    expect(usages).toHaveLength(6);
  });
});

describe('limits in hooks: a transcript is left alone', () => {
  it.each<[what: string, options: RunOptions]>([
    ['of an agent on another machine', { headers: { 'x-forwarded-for': '10.0.0.1' } }],
    ['that a sub-agent names', { input: { agent_id: 'a-1' } }],
    ['with a relative path', { input: { transcript_path: 'transcript.jsonl' } }],
    ['that does not exist', { input: { transcript_path: '/no/such/transcript.jsonl' } }],
    ['that is no file', { input: { transcript_path: '/dev/stdin.jsonl' } }],
  ])('limits in hooks: a transcript %s', async (_what, options) => {
    const { denied, usages } = await sixCalls('claude-code', { 'budget.usd': 0.1 }, options);
    expect(denied).toEqual(Array(6).fill(runs));
    expect(usages).toEqual([]);
  });

  it('limits in hooks: a folder in place of a transcript', async () => {
    const folder = await tempDir();
    onTestFinished(() => folder.remove());
    const path = join(folder.path, 'folder.jsonl');
    await mkdir(path);
    const { usages } = await sixCalls('claude-code', {}, { input: { transcript_path: path } });
    expect(usages).toEqual([]);
  });
});
