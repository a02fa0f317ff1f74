import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BaseMessage } from '@langchain/core/messages';
import { fakeModel } from '@langchain/core/testing';
import { blocksCheckedBy } from '@loopwatch/testkit/documented';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startServer } from '../../server/test/running-server.ts';
import { sharedPglite } from '../../storage/test/shared-pglite.ts';
import {
  agentsModel,
  agentsTools,
  aiModel,
  aiTools,
  answerTo,
  langchainTools,
  type Scenario,
} from './agents.ts';

const emptyDatabase = sharedPglite();

const documented = (page: string): string[] => blocksCheckedBy(import.meta.url, page).map(({ text }) => text);

function titleOf(block: string): string {
  return (
    /createReactAgent|createAgent|(?<=from ')(?:ai|@langchain\/langgraph|@openai\/agents)(?=')/.exec(
      block,
    )?.[0] ?? 'plain functions'
  );
}

/** The same call with the same result, 40 times. */
function scenario(onCall: () => void): Scenario {
  return {
    steps: Array.from({ length: 40 }, () => ({ name: 'read_file', args: { path: 'config.yaml' } })),
    act: () => {
      onCall();
      return 'Error: config.yaml not found';
    },
  };
}

describe('guard README', () => {
  const blocks = documented('packages/guard/README.md');
  let folder: string;

  beforeAll(async () => {
    // Inside the package, so that its imports resolve.
    folder = await mkdtemp(join(import.meta.dirname, '.readme-'));
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each(blocks.map((block, index) => [titleOf(block), index] as const))(
    'the example for %s ends a loop before the tool has run eight times',
    async (name, index) => {
      const said = vi.spyOn(console, 'log').mockReturnValue();
      let calls = 0;
      const loop = scenario(() => (calls += 1));
      const key = `readme-${String(index)}`;
      vi.stubGlobal(key, partsOf(name, loop));
      const block = blocks[index]!;
      const names = /import \{ ([^}]+) \} from '\.\/agent\.ts'/.exec(block)![1]!;
      const agent = `agent-${String(index)}.ts`;
      await writeFile(join(folder, agent), `export const { ${names} } = globalThis['${key}'];\n`);
      const file = join(folder, `block-${String(index)}.ts`);
      await writeFile(file, block.replace('./agent.ts', `./${agent}`));
      await import(file);
      expect(calls).toBeGreaterThan(1);
      expect(calls).toBeLessThan(8);
      expect(said).toHaveBeenCalled();
      said.mockRestore();
      vi.unstubAllGlobals();
    },
  );
});

/** What an example imports from `./agent.ts`. */
function partsOf(name: string, loop: Scenario): object {
  const prompt = 'What is in config.yaml?';
  if (name === 'ai') return { prompt, model: aiModel(loop), tools: aiTools(loop) };
  if (name === '@openai/agents') return { prompt, model: agentsModel(loop), tools: agentsTools(loop) };
  if (name === 'plain functions') {
    const steps = loop.steps.values();
    return { nextCall: () => steps.next().value?.args, readFile: () => loop.act(loop.steps[0]!, 0) };
  }
  const callModel = ({ messages }: { messages: BaseMessage[] }) => ({ messages: [answerTo(loop, messages)] });
  const chatModel = fakeModel();
  for (const { name: called, args } of loop.steps) chatModel.respondWithTools([{ name: called, args }]);
  return { prompt, callModel, chatModel, tools: langchainTools(loop) };
}

describe('Python example in docs/guard.md', () => {
  it.each([
    ['loops', 'lambda path: "Error: not found"', false],
    ['reads a file that changes', 'lambda path: "version " + str(next(count))', true],
  ])('with an agent that %s', async (_, tool, mayGoOn) => {
    const { url, server } = await startServer({ openDatabase: emptyDatabase });
    const [example] = documented('docs/guard.md');
    const program = `${example!.replace('http://localhost:4600', url)}
import itertools
count = itertools.count()
ran = 0
for n in range(12):
    result, may_go_on = guarded("read_file", ${tool}, {"path": "config.yaml"}, str(n))
    if not may_go_on:
        break
    ran += 1
print(json.dumps([ran, may_go_on, result]))
`;
    const { stdout } = await promisify(execFile)('python3', ['-c', program]);
    const [ran, wentOn, result] = JSON.parse(stdout) as [number, boolean, string];
    expect(wentOn).toBe(mayGoOn);
    if (mayGoOn) expect([ran, result]).toEqual([12, 'version 11']);
    else {
      expect(ran).toBeLessThan(8);
      expect(result).toMatch(/^Loopwatch denied this call: ./);
    }
    await server.stop();
  });
});
