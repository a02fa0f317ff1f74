import { denialText } from '@loopwatch/detectors/internal';
import { waitFor } from '@loopwatch/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoopwatchServer } from '../../server/src/index.ts';
import type { MemoryLog } from '../../server/test/memory-log.ts';
import { startServer, topics } from '../../server/test/running-server.ts';
import { summary } from '../../server/test/verdicts.ts';
import { sharedPglite } from '../../storage/test/shared-pglite.ts';
import { createGuard } from '../src/index.ts';
import { agents, type Scenario, type Step } from './agents.ts';

const emptyDatabase = sharedPglite();
let url: string;
let log: MemoryLog;
let server: LoopwatchServer;
let stored: () => Promise<void>;

beforeAll(async () => {
  ({ url, log, server, stored } = await startServer({ openDatabase: emptyDatabase }));
});

afterAll(() => server.stop());

const repeat = (times: number, steps: readonly Step[]) => Array.from({ length: times }, () => steps).flat();

/** Reads a missing file repeatedly. */
const looping: Scenario = {
  steps: repeat(30, [{ name: 'read_file', args: { path: 'config.yaml' } }]),
  act: () => 'Error: config.yaml not found',
};

const healthy: Readonly<Record<string, Scenario>> = {
  'alternates edits and tests': {
    steps: Array.from({ length: 12 }, (_, n) => [
      { name: 'edit_file', args: { path: 'a.ts', text: `version ${String(n)}` } },
      { name: 'run_tests', args: { path: 'a.test.ts' } },
    ]).flat(),
    act: ({ name }, call) =>
      name === 'edit_file' ? 'edited' : `${String(call)} of 24 tests passed, ${String(24 - call)} failed`,
  },
  'polls a job that makes progress': {
    steps: repeat(20, [{ name: 'job_status', args: { job: '17' } }]),
    act: (_, call) => JSON.stringify({ state: 'running', percent: call * 5 }),
  },
  'reads many files': {
    steps: Array.from({ length: 40 }, (_, n) => ({
      name: 'read_file',
      args: { path: `src/${String(n)}.ts` },
    })),
    act: ({ args }) => `export const path = '${args['path']!}';`,
  },
};

const post = (path: string, body: unknown): Promise<Response> =>
  fetch(`${url}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

// Stops by guard: AI SDK; LangGraph, LangChain; OpenAI Agents SDK
describe.each(agents)('%s', (name, runAgent) => {
  it('stops when it loops, without a server', async () => {
    const verdicts: string[] = [];
    const guard = createGuard({ mode: 'stop', onVerdict: ({ detector }) => verdicts.push(detector) });
    const { results, isDone } = await runAgent({ scenario: looping, guard });
    expect(isDone).toBe(false);
    expect(results.length).toBeLessThan(8);
    expect(results.at(-1)).toMatch(/^Loopwatch denied this call: .*read_file/s);
    expect(results.slice(0, -1)).toEqual(repeatText(results.length - 1));
    expect(guard).toMatchObject({ stopped: true, reason: expect.stringContaining('read_file') });
    expect(verdicts).toContain('tool-repeat');
    expect(guard.stats()).toMatchObject({ calls: results.length, denied: 1, faults: 0 });
  });

  it('stops when a user stops its session, and reports its events', async () => {
    const session = `guarded by a server: ${name}`;
    const guard = createGuard({ session, settings: { enabled: false }, server: { url } });
    const act = async (_: Step, call: number) => {
      if (call === 4) {
        log.append(topics.sessions, JSON.stringify(summary(session)), { key: session });
        await stored();
        const answer = await post(`/sessions/${encodeURIComponent(session)}/stop`, {});
        expect(await answer.json()).toEqual({ stopped: true, obeyedBy: 'guard' });
        await waitFor(() => guard.stopped);
      }
      return 'Error: config.yaml not found';
    };
    const { results, isDone } = await runAgent({ scenario: { ...looping, act }, guard });
    await guard.close();
    expect(isDone).toBe(false);
    expect(results).toEqual(repeatText(5));
    const events = log.values(topics.events) as { sessionId: string; type: string }[];
    const reported = events.filter((event) => event.sessionId === session);
    expect(reported.filter(({ type }) => type === 'tool_call_request')).toHaveLength(5);
    expect(reported.filter(({ type }) => type === 'tool_result')).toHaveLength(5);
    expect(guard.stats()).toMatchObject({ dropped: 0, faults: 0 });
  });

  it('stops when it asks the server before each call', async () => {
    const sessionId = `asks over HTTP: ${name}`;
    let stopped = false;
    let ran = 0;
    const act = async ({ name: tool, args }: Step, call: number) => {
      const answer = (await (await post('/decide', { sessionId, name: tool, args })).json()) as {
        action: string;
        guidance: string;
      };
      stopped = answer.action === 'deny';
      ran += stopped ? 0 : 1;
      const result = stopped ? denialText(answer.guidance) : 'Error: config.yaml not found';
      const callId = String(call);
      await post('/events', [
        { sessionId, type: 'tool_call_request', callId, name: tool, args },
        { sessionId, type: 'tool_result', callId, result },
      ]);
      return result;
    };
    const { results, isDone } = await runAgent({
      scenario: { ...looping, act },
      isStopped: () => stopped,
    });
    expect(isDone).toBe(false);
    expect(ran).toBeLessThan(8);
    expect(results.at(-1)).toMatch(/^Loopwatch denied this call/);
  });

  it.each(Object.entries(healthy))('is not stopped when it %s', async (_, scenario) => {
    const plain = await runAgent({ scenario });
    const guard = createGuard({ mode: 'stop' });
    expect(await runAgent({ scenario, guard })).toEqual(plain);
    expect(plain).toMatchObject({ isDone: true, results: { length: scenario.steps.length } });
    expect(guard.stats()).toMatchObject({ calls: scenario.steps.length, denied: 0, faults: 0 });
    expect(guard.stopped).toBe(false);
  });
});

function repeatText(times: number): string[] {
  return Array.from({ length: times }, () => 'Error: config.yaml not found');
}
