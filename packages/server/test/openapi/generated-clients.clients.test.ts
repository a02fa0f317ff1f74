import { execFile } from 'node:child_process';
import { readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { npmEnvironment, pythonWith, type TempDir, tempDir } from '@loopwatch/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startServer } from '../running-server.ts';
import { verdict } from '../verdicts.ts';

const run = promisify(execFile);
const generators = join(import.meta.dirname, 'generators');
const token = 'the-operators-token';

const typeScript = `
import createClient from 'openapi-fetch';
import type { components, paths } from './api.js';

const [, , baseUrl = '', token = ''] = process.argv;
const client = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${token}\` } });
const query = { limit: 5, detector: ['tool-repeat' as const] };
const { data, error } = await client.GET('/api/v1/incidents', { params: { query } });
if (error !== undefined) throw new Error(error.title);
const incidents: components['schemas']['IncidentItem'][] = data.items;
for (const { id, detector } of incidents) console.log(id, detector);
`;

const pythonProgram = `
import sys

from loopwatch_client import AuthenticatedClient
from loopwatch_client.api.incidents import list_incidents
from loopwatch_client.models import IncidentItem, IncidentPage

_, url, token = sys.argv
page = list_incidents.sync(client=AuthenticatedClient(base_url=url, token=token), limit=5)
assert isinstance(page, IncidentPage), page
incidents: list[IncidentItem] = page.items
for incident in incidents:
    print(incident.id, incident.detector.value)
`;

let started: Awaited<ReturnType<typeof startServer>>;
/** Contains the document that the server serves. */
let folder: TempDir;
/** The folder of a command of npm's packages. */
let bin: string;

beforeAll(async () => {
  folder = await tempDir();
  const packages = await npmEnvironment('openapi', join(generators, 'package.json'));
  await symlink(join(packages, 'node_modules'), join(folder.path, 'node_modules'));
  bin = join(packages, 'node_modules/.bin');
  started = await startServer({ tokens: { operator: token } });
  started.log.appendVerdict(verdict({ incidentId: 'i-0c2fb5ed6cc922e0' }));
  await started.stored();
  const headers = { authorization: `Bearer ${token}` };
  const document = await (await fetch(`${started.url}/api/v1/openapi.json`, { headers })).text();
  await writeFile(join(folder.path, 'openapi.json'), document);
});

afterAll(async () => {
  await started.server.stop();
  await folder.remove();
});

/** @returns what the command printed @throws Error with what it printed, if it fails */
async function execute(command: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run(command, args, { cwd: folder.path }).catch((error: unknown) => {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} failed:\n${stdout}${stderr}`, { cause: error });
  });
  return stdout;
}

it('OpenAPI: Spectral has no remarks', async () => {
  await writeFile(join(folder.path, '.spectral.yaml'), 'extends: ["spectral:oas"]\n');
  const output = await execute(join(bin, 'spectral'), 'lint', 'openapi.json', '--fail-severity=hint');
  expect(output).toContain('No results');
});

it('OpenAPI: a generated TypeScript client compiles and lists incidents', async () => {
  await writeFile(join(folder.path, 'package.json'), '{"type":"module"}');
  await writeFile(join(folder.path, 'list-incidents.ts'), typeScript);
  await execute(join(bin, 'openapi-typescript'), 'openapi.json', '--output', 'api.d.ts');
  const strict = ['--strict', '--module', 'nodenext', '--target', 'es2022'];
  await execute(join(bin, 'tsc'), ...strict, 'list-incidents.ts');
  expect(await execute(process.execPath, 'list-incidents.js', started.url, token)).toBe(
    'i-0c2fb5ed6cc922e0 tool-repeat\n',
  );
});

it('OpenAPI: a generated Python client lists incidents, with a module for each schema', async () => {
  const python = await pythonWith(join(generators, 'requirements.txt'));
  await writeFile(join(folder.path, 'generator.yaml'), 'post_hooks: []\n');
  const generate = ['generate', '--meta', 'none', '--path', 'openapi.json', '--config', 'generator.yaml'];
  await execute(python, '-m', 'openapi_python_client', ...generate, '--output-path', 'loopwatch_client');
  await writeFile(join(folder.path, 'list_incidents.py'), pythonProgram);
  expect(await execute(python, 'list_incidents.py', started.url, token)).toBe(
    'i-0c2fb5ed6cc922e0 tool-repeat\n',
  );
  // Without names there were 1,102.
  const models = await readdir(join(folder.path, 'loopwatch_client/models'));
  expect(models.length).toBeLessThan(360);
});
