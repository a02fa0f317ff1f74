import { basename, resolve } from 'node:path';

/** A session as the path of a file tells it. */
interface SessionInPath {
  readonly id: string;
  /** Whether the files of the folder make up the session, in the order of the numbers in their names. */
  readonly isFolder: boolean;
}

/** Where agents store sessions whose records do not name them, with the captures that make up the id. */
const layouts: readonly { readonly path: RegExp; readonly isFolder: boolean }[] = [
  // OpenHands
  { path: /\/([^/]+)\/events\/[^/]+$/, isFolder: true },
  // Strands
  { path: /\bsession_([^/]+)\/agents\/agent_([^/]+)\/messages\/message_\d+\.json$/, isFolder: true },
  // Kimi Code; the agent `main` is the session itself
  { path: /\/([^/]+)\/agents\/(?:main|([^/]+))\/wire\.jsonl$/, isFolder: false },
  // Antigravity CLI
  { path: /\/([^/]+)\/\.system_generated\/logs\/[^/]+$/, isFolder: false },
];

/** The session that an agent's folders name; undefined for a file anywhere else. */
export function sessionInPath(file: string): SessionInPath | undefined {
  const whole = resolve(file);
  for (const { path, isFolder } of layouts) {
    const [, ...captured] = path.exec(whole) ?? [];
    if (captured.length > 0) return { id: captured.filter(Boolean).join('/'), isFolder };
  }
  return undefined;
}

const formatEndings = new Set(['jsonl', 'ndjson', 'json', 'sse', 'txt', 'gz', 'zst']);

/** Session id for records without one: what the folders name, otherwise the name of the file. */
export function sessionOfFile(file: string): string {
  if (file === '-') return 'stdin';
  const inPath = sessionInPath(file);
  if (inPath !== undefined) return inPath.id;
  const [name = file, ...endings] = basename(file).split('.');
  const own = endings.filter((ending) => !formatEndings.has(ending));
  return [name, ...own].join('.');
}
