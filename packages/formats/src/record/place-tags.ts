import { textOf } from './json.ts';

/** Units of a tag's value, within the contract's limit in bytes. */
const MAX_UNITS = 250;

/** The tags that say where an agent works: the name of its folder, and the branch. */
export function placeTags(folder: unknown, branch?: unknown): Readonly<Record<string, string>> | undefined {
  const project = textOf(folder)
    ?.split(/[\\/]/)
    .findLast((name) => name !== '');
  const name = textOf(branch);
  if (project === undefined && name === undefined) return undefined;
  return {
    ...(project !== undefined && { project: project.slice(0, MAX_UNITS) }),
    // Claude Code writes HEAD outside of a repository.
    ...(name !== undefined && name !== 'HEAD' && { branch: name.slice(0, MAX_UNITS) }),
  };
}
