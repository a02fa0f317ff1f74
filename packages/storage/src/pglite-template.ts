import { existsSync } from 'node:fs';
import { cp, rename, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { PgliteClient } from './pglite-client.ts';

/** Made by the build. Without it, as when run from the sources alone, the first start makes a database itself. */
const template = fileURLToPath(new URL('../dist/pglite-template', import.meta.url));

/** Makes the empty database that new data folders get a copy of. */
export async function makePgliteTemplate(): Promise<void> {
  await replaceFolder(template, async (folder) => {
    const lite = new PgliteClient(folder, () => undefined);
    await lite.open();
    await lite.close();
  });
}

/**
 * Lays an empty database into a folder that does not exist yet: making one computes for seconds, and leaves hundreds of MB
 * with the process.
 */
export async function layPgliteTemplate(folder: string, from = template): Promise<void> {
  if (existsSync(folder) || !existsSync(from)) return;
  await replaceFolder(folder, (staged) => cp(from, staged, { recursive: true }));
}

/** Fills a folder beside it first, so that one that was filled in part never takes its name. */
async function replaceFolder(folder: string, fill: (staged: string) => Promise<void>): Promise<void> {
  const staged = `${folder}.new`;
  await rm(staged, { recursive: true, force: true });
  await fill(staged);
  await rm(folder, { recursive: true, force: true });
  await rename(staged, folder);
}
