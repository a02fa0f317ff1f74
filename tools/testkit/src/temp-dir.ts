import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that is removed with {@link TempDir.remove}, at the end of a `using` block, or when the process ends. */
export interface TempDir extends AsyncDisposable {
  readonly path: string;
  remove(): Promise<void>;
}

const folders = new Set<string>();

process.once('exit', () => {
  for (const path of folders) rmSync(path, { recursive: true, force: true });
});

/** Creates a new empty folder in the system's temporary folder. */
export async function tempDir(prefix = 'loopwatch'): Promise<TempDir> {
  const path = await mkdtemp(join(tmpdir(), `${prefix}-`));
  folders.add(path);
  const remove = async () => {
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
    folders.delete(path);
  };
  return { path, remove, [Symbol.asyncDispose]: remove };
}
