import { existsSync } from 'node:fs';
import { chmod, cp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PgliteClient } from './pglite-client.ts';

/** Created by the build. Without it, as when running from source, the first start creates a database itself. */
const template = fileURLToPath(new URL('../dist/pglite-template', import.meta.url));

/** Creates the empty database that is copied into new data folders; readable by every user who can run the build. */
export async function makePgliteTemplate(): Promise<void> {
  await replaceFolder(template, async (folder) => {
    const lite = new PgliteClient(folder, () => undefined);
    await lite.open();
    await lite.close();
    await setModes(folder, 0o755, 0o644);
  });
}

/**
 * Copies the template into a folder that is empty or does not exist. Creating a database instead takes seconds of CPU time and
 * leaves hundreds of MB allocated to the process.
 */
export async function copyPgliteTemplate(folder: string, from = template): Promise<void> {
  const entries = await readdir(folder).catch(() => []);
  if (entries.length > 0 || !existsSync(from)) return;
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

/** Fills a staging folder and renames it, so that `folder` is never partly filled. */
async function replaceFolder(folder: string, fill: (staged: string) => Promise<void>): Promise<void> {
  const staged = `${folder}.new`;
  await rm(staged, { recursive: true, force: true });
  await fill(staged);
  await rm(folder, { recursive: true, force: true });
  await rename(staged, folder);
}
