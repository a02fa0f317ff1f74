import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocksCheckedBy, root } from '@loopwatch/testkit/documented';
import { expect, it } from 'vitest';
import { claudeHooks } from '../../../../scripts/reference/claude-plugin.ts';
import { version } from '../../src/runtime/installation.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const plugin = JSON.parse(read('clients/claude-code/.claude-plugin/plugin.json')) as Record<string, string>;
const marketplace = JSON.parse(read('.claude-plugin/marketplace.json')) as {
  readonly name: string;
  readonly plugins: readonly { readonly name: string; readonly source: string }[];
};

it('the plugin has the hooks that `loopwatch hook install claude-code` writes; otherwise run `npm run generate`', () => {
  expect(read('clients/claude-code/hooks/hooks.json')).toBe(claudeHooks());
});

it('the plugin has the version of the command', () => {
  expect(plugin['version']).toBe(version);
});

it('the marketplace lists the plugin, under the name that its page says', () => {
  const [entry] = marketplace.plugins;
  expect(entry?.name).toBe(plugin['name']);
  expect(existsSync(join(root, entry?.source ?? '', '.claude-plugin/plugin.json'))).toBe(true);
  const [commands] = blocksCheckedBy(import.meta.url);
  expect(commands?.text.trim().split('\n')).toEqual([
    '/plugin marketplace add loopwatch/loopwatch',
    `/plugin install ${plugin['name'] ?? ''}@${marketplace.name}`,
  ]);
});
