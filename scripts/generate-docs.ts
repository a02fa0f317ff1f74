// `npm run generate`: writes the reference pages and schemas that are derived from the code's own schemas, the imports of each
// package in docs/architecture.md, the types of the Python client, the hooks of the plugin for Claude Code, and the files of the Helm chart that are copied or derived.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chartFiles } from './chart/files.ts';
import { agentsPage } from './reference/agents-page.ts';
import { claudeHooks } from './reference/claude-plugin.ts';
import { referenceFiles } from './reference/files.ts';
import { architecturePage } from './reference/import-table.ts';
import { pythonTypes } from './reference/python-types.ts';

const folder = join(import.meta.dirname, '../docs/reference');
mkdirSync(folder, { recursive: true });
for (const [name, text] of referenceFiles()) {
  writeFileSync(join(folder, name), text);
  console.log(`docs/reference/${name}`);
}

for (const [path, text] of [
  ['docs/architecture.md', architecturePage()] as const,
  ['docs/reference/agents.md', agentsPage()] as const,
  ['clients/python/src/loopwatch/_types.py', pythonTypes()] as const,
  ['clients/claude-code/hooks/hooks.json', claudeHooks()] as const,
  ...chartFiles(),
]) {
  writeFileSync(join(import.meta.dirname, '..', path), text);
  console.log(path);
}
