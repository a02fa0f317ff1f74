import { closeSync, openSync, readSync, statSync } from 'node:fs';

/**
 * The first bytes of a file, fewer if it is shorter; undefined if it cannot be read, about which its reader complains. A pipe has
 * none: they would be missing when it is read.
 */
export function beginningOf(file: string, length: number): Buffer | undefined {
  let descriptor: number | undefined;
  try {
    if (!statSync(file).isFile()) return undefined;
    descriptor = openSync(file, 'r');
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(descriptor, bytes));
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
