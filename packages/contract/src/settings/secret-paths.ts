/** Which settings must not be shown, whoever asks and whatever went wrong with them. */

const secretName = /password|secret|token|key|database_url/i;

/** What stands in the place of a secret. */
export const hiddenValue = '******';

/**
 * Whether the setting at a dotted path is a secret: its own name says so, that of its block does not. The name of a file
 * that holds one is none.
 */
export function isSecretPath(path: string): boolean {
  const name = path.slice(path.lastIndexOf('.') + 1);
  return secretName.test(name) && !name.endsWith('_file');
}
