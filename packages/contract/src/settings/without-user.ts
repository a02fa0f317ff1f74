import { hiddenValue } from './setting-paths.ts';

/** The text of a setting as it is shown: without the user and the password of an address. */
export function withoutUser(text: string): string {
  return text.replace(/(:\/\/)[^\s/?#]*@/g, `$1${hiddenValue}@`);
}
