import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises';

/**
 * Writes a file in one step: if that fails, such as on a full disk, the file is as it was before.
 *
 * @param mode of a new file
 */
export async function writeWhole(file: string, text: string, mode = 0o666): Promise<void> {
  const known = await stat(file).catch(() => undefined);
  // What is no regular file, such as /dev/stdout or a pipe, is written to and not replaced.
  if (known?.isFile() === false) {
    await writeFile(file, text);
    return;
  }
  const target = known === undefined ? file : await realpath(file);
  const next = `${target}.${String(process.pid)}.tmp`;
  try {
    await writeFile(next, text, { mode: known?.mode ?? mode });
    await rename(next, target);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
}
