import { readFileSync } from 'node:fs';
import { UsageError } from '../errors.ts';

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  ENOTDIR: 'no such file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
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

/** A secret from a setting or from the file that its `_file` setting names; undefined when neither is set. */
export function readSecret(
  setting: string,
  value: string | undefined,
  file: string | undefined,
): string | undefined {
  if (file === undefined) return value;
  // Editors and `echo` add a final line break.
  return readNamedFile(`${setting}_file`, file)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}
