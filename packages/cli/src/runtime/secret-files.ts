import { readFileSync } from 'node:fs';
import { UsageError } from '../errors.ts';

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
  EISDIR: 'it is a folder',
};

/**
 * Reads a file that a setting names.
 *
 * @param setting Its path, for messages.
 * @throws UsageError naming setting and file when it cannot be read or is empty
 */
export function readNamedFile(setting: string, file: string): Buffer {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new UsageError(`${setting}: cannot read ${file}: ${reasons[code] ?? message}`);
  }
  if (bytes.toString('latin1').trim() === '') throw new UsageError(`${setting}: ${file} is empty`);
  return bytes;
}

/** A secret that is set as it is, or as the name of a file with nothing else in it; undefined when neither is set. */
export function readSecret(
  setting: string,
  value: string | undefined,
  file: string | undefined,
): string | undefined {
  if (file === undefined) return value;
  // Editors and `echo` end a file with a line break, which is no part of the secret.
  return readNamedFile(`${setting}_file`, file)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}
