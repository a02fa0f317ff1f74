import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { waitFor } from '@loopwatch/testkit';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type RunningServer, type Session, startServer } from './server.ts';

const script = fileURLToPath(new URL('./litellm_guardrail.py', import.meta.url));

let server: RunningServer;
let url: string;

beforeAll(async () => {
  server = await startServer();
  ({ url } = server);
});

afterAll(() => server[Symbol.asyncDispose]());

/** How many calls of an agent ran, and the error that ended it. */
async function run(session: string, paths: readonly string[]): Promise<unknown> {
  const env = {
    PATH: process.env['PATH'],
    PYTHONDONTWRITEBYTECODE: '1',
    LITELLM_LOCAL_MODEL_COST_MAP: 'True',
  };
  const args = ['-W', 'ignore', script, url, session, ...paths];
  const { stdout } = await promisify(execFile)(inject('clientsPython'), args, { env });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

// Stops by guardrail: LiteLLM
it.each(['named', ''])(
  'an agent behind LiteLLM loops in session "%s": its fourth call is blocked, and each is recorded once',
  async (name) => {
    const looping = await run(name, Array<string>(8).fill('absent'));
    expect(looping).toEqual({ ran: 3, error: expect.stringMatching(/read_file/) as string });
    let sessions: Session[] = [];
    const session = await waitFor(
      async () => {
        const response = await fetch(`${url}/api/v1/sessions?limit=200`);
        ({ items: sessions } = (await response.json()) as { items: Session[] });
        return sessions.find(
          ({ sessionId, toolCalls, incidents }) =>
            (name === '' ? sessionId.startsWith('litellm-') : sessionId === name) &&
            toolCalls >= 4 &&
            incidents.total > 0,
        );
      },
      { describe: () => `session ${name}; there are ${JSON.stringify(sessions)}` },
    );
    expect(session).toMatchObject({ agent: 'litellm', toolCalls: 4, incidents: { total: 1 } });
  },
);

it('an agent behind LiteLLM that reads different files is left alone', async () => {
  const paths = ['a', 'bb', 'ccc', 'dddd', 'eeeee', 'ffffff'];
  expect(await run('healthy', paths)).toEqual({ ran: 6, error: null });
});
