import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { tempDir } from '@loopwatch/testkit';
import { onTestFinished } from 'vitest';
import { addHook } from '../../src/hooks/hook-settings.ts';
import { hookDefaults } from '../../src/hooks/hook-target.ts';
import type { HookedAgent } from '../../src/hooks/hooked-agents.ts';

interface Posted {
  readonly body: Readonly<Record<string, unknown>>;
  readonly authorization: string | undefined;
}

/** A server that answers each hook in turn, then with an empty object; undefined: never. */
export async function startHookServer(answers: (object | undefined)[] = []) {
  const posted: Posted[] = [];
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      posted.push({ body: body as Posted['body'], authorization: request.headers.authorization });
      const answer = answers.length === 0 ? {} : answers.shift();
      if (answer !== undefined) response.end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, posted };
}

/** So long that no plugin pauses because the test's machine is busy. */
const WAIT_MS = 60_000;

/** Imports the file that an installation writes. */
export async function importPlugin(agent: HookedAgent, url: string, more: object): Promise<unknown> {
  const dir = await tempDir();
  onTestFinished(() => dir.remove());
  const file = join(dir.path, 'loopwatch.mjs');
  const target = { url, tokenEnv: undefined, ...hookDefaults, waitMs: WAIT_MS, ...more };
  await writeFile(file, addHook(file, '', agent, target));
  return import(pathToFileURL(file).href);
}

/** The answer that denies a call. */
export const denied = (text: string, more: object = {}) => ({
  hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: text },
  ...more,
});
