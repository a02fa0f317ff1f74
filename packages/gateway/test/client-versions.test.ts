import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testedClients } from './clients/tested-clients.ts';

const read = (path: string): string => readFileSync(join(import.meta.dirname, path), 'utf8');

it('the documentation names the clients that the tests run, in their versions', () => {
  const rows = read('../../../docs/gateway.md').matchAll(/^\| (npm|PyPI|Maven) `([^`]+)` \| ([^ |]+) \|/gm);
  const documented = [...rows].map(([, registry, name, version]) => `${registry} ${name} ${version}`);
  const { devDependencies } = JSON.parse(read('../package.json')) as {
    devDependencies: Record<string, string>;
  };
  const npm = Object.entries(devDependencies)
    .filter(([name]) => !name.startsWith('@loopwatch/') && name !== '@langchain/core')
    .map(([name, version]) => `npm ${name} ${version}`);
  const pypi = ['requirements', 'semantic-kernel'].flatMap((file) => {
    const [clients = ''] = read(`clients/python/${file}.txt`).split('\n\n');
    return [...clients.matchAll(/^([^#=\n]+)==(.+)$/gm)].map(
      ([, name, version]) => `PyPI ${name} ${version}`,
    );
  });
  const [, name, version] =
    /<dependency>.*<artifactId>(.+)<\/artifactId>\s*<version>(.+)<\/version>/s.exec(
      read('clients/java/pom.xml'),
    ) ?? [];
  expect(documented.toSorted()).toEqual([...npm, ...pypi, `Maven ${name} ${version}`].toSorted());
});

it('the documentation names the APIs over which the tests run each client', () => {
  const titles = { chat: 'Chat', responses: 'Responses', messages: 'Messages', gemini: 'Gemini' };
  const page = read('../../../docs/gateway.md');
  for (const [registry, clients] of Object.entries(testedClients))
    for (const [name, apis] of Object.entries(clients)) {
      const [, documented] =
        new RegExp(`^\\| ${registry} \`${name}\` \\| [^|]+ \\| ([^|]+) \\|`, 'm').exec(page) ?? [];
      expect(`${name}: ${documented ?? ''}`).toBe(`${name}: ${apis.map((api) => titles[api]).join(', ')}`);
    }
});
