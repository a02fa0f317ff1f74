/** What the recorded agents in JavaScript share: their prompt and their tool. */
export const PROMPT = `Scenario ${process.argv[2]}`;

/** Reads a file. @throws Error if it is missing */
export function readFile(path) {
  if (path === 'missing.md') throw new Error(`no such file: ${path}`);
  return path === 'notes.md' ? 'an empty file' : `the text of ${path}`;
}
