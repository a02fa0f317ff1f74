// `npm run generate`: writes the reference pages and schemas that are derived from the code's own schemas.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { referenceFiles } from './reference/files.ts';

const folder = join(import.meta.dirname, '../docs/reference');
mkdirSync(folder, { recursive: true });
for (const [name, text] of referenceFiles()) {
  writeFileSync(join(folder, name), text);
  console.log(`docs/reference/${name}`);
}
