import { join } from 'node:path';
import { inject } from 'vitest';
import { type Client, describeClients } from './describe-clients.ts';
import { inProcess } from './in-process.ts';
import { testedClients } from './tested-clients.ts';

const inPython =
  (script: string): Client['run'] =>
  (cases) =>
    inProcess(inject('clientsPython'), [join(import.meta.dirname, 'python', script)], cases);

const { PyPI } = testedClients;

describeClients([
  { name: 'openai', apis: PyPI.openai, run: inPython('openai_client.py') },
  { name: 'anthropic', apis: PyPI.anthropic, run: inPython('anthropic_client.py') },
  { name: 'google-genai', apis: PyPI['google-genai'], run: inPython('google_genai_client.py') },
  { name: 'openai-agents', apis: PyPI['openai-agents'], run: inPython('openai_agents_client.py') },
  { name: 'langgraph', apis: PyPI.langgraph, run: inPython('langgraph_client.py') },
  { name: 'litellm', apis: PyPI.litellm, isStrict: true, run: inPython('litellm_client.py') },
]);
