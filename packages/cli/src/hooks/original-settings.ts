import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf } from '@loopwatch/contract';
import { UsageError } from '../errors.ts';
import { stateFolder } from './hook-target.ts';

/** An agent's settings before and after the hook was added, so that its removal restores the file exactly. */
interface OriginalSettings {
  /** Null: there was no file. */
  readonly before: string | null;
  readonly after: string;
}

/**
 * Keeps settings, then changes them; if they cannot be changed, what was kept before stays.
 *
 * @throws UsageError if they cannot be kept; then nothing has changed
 */
export async function keepOriginal(
  home: string,
  file: string,
  settings: OriginalSettings,
  change: () => Promise<void>,
): Promise<void> {
  const kept = await originalOf(home, file);
  await write(home, file, settings);
  try {
    await change();
  } catch (error) {
    await (kept === undefined ? forgetOriginal(home, file) : write(home, file, kept));
    throw error;
  }
}

async function write(home: string, file: string, settings: OriginalSettings): Promise<void> {
  const path = pathOf(home, file);
  // Settings can hold keys.
  await inStateFolder(path, () => writeFile(path, JSON.stringify(settings), { mode: 0o600 }));
}

/** Writes a file to the folder of the hooks' state, which is created. @throws UsageError if that is not possible */
export async function inStateFolder(path: string, work: () => Promise<void>): Promise<void> {
  const folder = dirname(path);
  try {
    await mkdir(folder, { recursive: true });
    await work();
  } catch (error) {
    throw new UsageError(
      `${folder} cannot be written: ${messageOf(error)}. Loopwatch keeps the agent's original settings in this folder. ` +
        'Nothing has changed; make the folder writable for your user, or move the file that is in its place',
    );
  }
}

/** @returns undefined if it is not known */
export async function originalOf(home: string, file: string): Promise<OriginalSettings | undefined> {
  try {
    return JSON.parse(await readFile(pathOf(home, file), 'utf8')) as OriginalSettings;
  } catch {
    return undefined;
  }
}

export async function forgetOriginal(home: string, file: string): Promise<void> {
  // One that cannot be removed is of other settings than those that the file has now, and is not used.
  await rm(pathOf(home, file), { force: true }).catch(() => undefined);
}

function pathOf(home: string, file: string): string {
  const id = createHash('sha256').update(file).digest('hex').slice(0, 16);
  return join(home, stateFolder, `settings-${id}.json`);
}
