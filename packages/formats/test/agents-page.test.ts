import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { agentsPage } from '../../../scripts/reference/agents-page.ts';

it('docs/reference/agents.md is what `npm run generate` writes', () => {
  const page = join(import.meta.dirname, '../../../docs/reference/agents.md');
  expect(readFileSync(page, 'utf8')).toBe(agentsPage());
});
