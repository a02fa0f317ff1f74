/** Settings that are never shown: not in pages, logs or error messages. */

const secretName = /password|secret|token|key|database_url/i;

/** Shown in place of a secret. */
export const hiddenValue = '******';

/** Whether the last name of a dotted path denotes a secret. The path of a file that contains one is not secret. */
export function isSecretPath(path: string): boolean {
  const name = path.slice(path.lastIndexOf('.') + 1);
  return secretName.test(name) && !name.endsWith('_file');
}
