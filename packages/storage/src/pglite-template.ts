import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { createTar, parseTar } from 'nanotar';
import { migrate } from './migrate.ts';
import { PgliteClient } from './pglite-client.ts';

/** Created by the build: 3 MB instead of 26. Without it, as when running from source, the first start creates a database itself. */
const template = fileURLToPath(new URL('../dist/pglite-template.tar.gz', import.meta.url));

/** Creates the archive of an empty database, with all migrations, that new data folders are filled from. */
export async function makePgliteTemplate(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'loopwatch-database-'));
  try {
    const lite = new PgliteClient(folder, () => undefined);
    await lite.open();
    await migrate(lite);
    // Only new databases are made from them: half of the files, which each new data folder would get and each stop checksum.
    await lite.query("update pg_database set datistemplate = false where datname like 'template_'");
    for (const name of ['template0', 'template1']) await lite.query(`drop database ${name}`);
    await lite.close();
    await writeTemplate(folder, template);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Archives a folder, including its empty folders. */
export async function writeTemplate(folder: string, archive: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(folder.length + 1);
    return entry.isDirectory() ? { name: `${name}/` } : { name, data: await readFile(path) };
  });
  await writeFile(archive, await promisify(gzip)(createTar(await Promise.all(files)), { level: 9 }));
}

/**
 * Extracts the template into a folder that is empty or does not exist. Creating a database instead takes seconds of CPU time and
 * leaves hundreds of MB allocated to the process.
 */
export async function extractPgliteTemplate(folder: string, from = template): Promise<void> {
  const entries = await readdir(folder).catch(() => []);
  if (entries.length > 0 || !existsSync(from)) return;
  // A copy, because nanotar reads all of a buffer's memory, which Node 24 shares between small buffers.
  const files = parseTar(new Uint8Array(await promisify(gunzip)(await readFile(from))));
  // Renamed when complete, so that `folder` is never partly filled.
  const staged = `${folder}.new`;
  await rm(staged, { recursive: true, force: true });
  mkdirSync(staged, { mode: 0o700 });
  // Synchronously, which takes a third of the time: they are many and small, and nothing else runs yet.
  for (const { name, type, data } of files) {
    const path = join(staged, name);
    if (type === 'directory') mkdirSync(path, { recursive: true, mode: 0o700 });
    else writeFileSync(path, data ?? '', { mode: 0o600 });
  }
  await rm(folder, { recursive: true, force: true });
  await rename(staged, folder);
}
