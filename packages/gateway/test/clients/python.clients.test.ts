import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import type { ClientOutcome } from './client-case.ts';
import { type Client, describeClients } from './describe-clients.ts';
import { testedClients } from './tested-clients.ts';

/** One process a client: it takes all cases, and says how each ended. */
const inPython =
  (script: string): Client['run'] =>
  async (cases) => {
    const child = spawn(inject('clientsPython'), [join(import.meta.dirname, 'python', script)], {
      env: { PATH: process.env['PATH'], PYTHONDONTWRITEBYTECODE: '1' },
    });
    child.stdin.end(cases.map((given) => `${JSON.stringify(given)}\n`).join(''));
    const [out, errors, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close') as Promise<[number | null]>,
    ]);
    if (code !== 0) throw new Error(`${script} ended with ${String(code)}:\n${errors}`);
    return out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as ClientOutcome);
  };

const { PyPI } = testedClients;

describeClients([
  { name: 'openai', apis: PyPI.openai, run: inPython('openai_client.py') },
  { name: 'anthropic', apis: PyPI.anthropic, run: inPython('anthropic_client.py') },
  { name: 'google-genai', apis: PyPI['google-genai'], run: inPython('google_genai_client.py') },
  { name: 'openai-agents', apis: PyPI['openai-agents'], run: inPython('openai_agents_client.py') },
  { name: 'langgraph', apis: PyPI.langgraph, run: inPython('langgraph_client.py') },
]);
