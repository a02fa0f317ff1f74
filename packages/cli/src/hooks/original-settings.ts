import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { stateFolder } from './hook-target.ts';

/** An agent's settings before and after the hook was added, so that its removal restores the file exactly. */
interface OriginalSettings {
  /** Null: there was no file. */
  readonly before: string | null;
  readonly after: string;
}

export async function keepOriginal(home: string, file: string, settings: OriginalSettings): Promise<void> {
  const path = pathOf(home, file);
  await mkdir(dirname(path), { recursive: true });
  // Settings can hold keys.
  await writeFile(path, JSON.stringify(settings), { mode: 0o600 });
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
  await rm(pathOf(home, file), { force: true });
}

function pathOf(home: string, file: string): string {
  const id = createHash('sha256').update(file).digest('hex').slice(0, 16);
  return join(home, stateFolder, `settings-${id}.json`);
}
