import { existsSync } from 'node:fs';
import { chmod, cp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PgliteClient } from './pglite-client.ts';

/** Made by the build. Without it, as when run from the sources alone, the first start makes a database itself. */
const template = fileURLToPath(new URL('../dist/pglite-template', import.meta.url));

/** Makes the empty database that new data folders get a copy of; whoever runs what was built may read it. */
export async function makePgliteTemplate(): Promise<void> {
  await replaceFolder(template, async (folder) => {
    const lite = new PgliteClient(folder, () => undefined);
    await lite.open();
    await lite.close();
    await setModes(folder, 0o755, 0o644);
  });
}

/**
 * Lays an empty database into a folder that is empty or not there yet: making one computes for seconds, and leaves hundreds of MB
 * with the process.
 */
export async function layPgliteTemplate(folder: string, from = template): Promise<void> {
  const held = await readdir(folder).catch(() => []);
  if (held.length > 0 || !existsSync(from)) return;
  await replaceFolder(folder, async (staged) => {
    await cp(from, staged, { recursive: true });
    await setModes(staged, 0o700, 0o600);
  });
}

async function setModes(folder: string, folders: number, files: number): Promise<void> {
  await chmod(folder, folders);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? folders : files);
}

/** Fills a folder beside it first, so that one that was filled in part never takes its name. */
async function replaceFolder(folder: string, fill: (staged: string) => Promise<void>): Promise<void> {
  const staged = `${folder}.new`;
  await rm(staged, { recursive: true, force: true });
  await fill(staged);
  await rm(folder, { recursive: true, force: true });
  await rename(staged, folder);
}
