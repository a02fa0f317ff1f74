import { homedir } from 'node:os';

/** A path with `~` for the home folder. */
export function shortPath(file: string): string {
  const home = homedir();
  return file.startsWith(`${home}/`) ? `~${file.slice(home.length)}` : file;
}
