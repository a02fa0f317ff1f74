import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UsageError } from '../errors.ts';
import { anyHistory, type History } from './histories.ts';

/** Files that are read one behind the other, because they make up one session, or a file alone. */
export interface Source {
  readonly files: readonly string[];
  /** The session that several files make up. */
  readonly session: string | undefined;
  /** On the disk. */
  readonly bytes: number;
  /** When it was last written, epoch ms. */
  readonly modifiedAt: number;
  /** Whether the user named the file; others may be of no known format. */
  readonly isNamed: boolean;
}

/** The histories in the agents' own folders, the oldest first: an original comes before what was copied from it. */
export function sourcesOf(histories: readonly History[], since: number): Source[] {
  return histories
    .flatMap(({ folder, files }) => sourcesIn(folder, files))
    .filter(({ modifiedAt }) => modifiedAt >= since)
    .sort((a, b) => a.modifiedAt - b.modifiedAt);
}

/** The histories in files and folders that the user names. @throws UsageError for a path that is not there */
export function sourcesAt(paths: readonly string[], since: number): Source[] {
  const sources = paths.flatMap((path) => {
    if (!existsSync(path)) throw new UsageError(`${path}: no such file or folder`);
    return statSync(path).isDirectory() ? sourcesIn(path, anyHistory) : [sourceOf([path], undefined, true)];
  });
  return sources.filter(({ modifiedAt }) => modifiedAt >= since).sort((a, b) => a.modifiedAt - b.modifiedAt);
}

function sourcesIn(folder: string, files: RegExp): Source[] {
  if (!existsSync(folder)) return [];
  const sessions = new Map<string, string[]>();
  const all = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = all.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []));
  const storages = new Set<string>();
  for (const path of paths.sort()) {
    const storage = openCodeStorage(path);
    if (storage !== undefined) storages.add(storage);
    else if (files.test(path)) {
      const key = basename(dirname(path)) === 'events' ? dirname(path) : path;
      sessions.set(key, [...(sessions.get(key) ?? []), path]);
    }
  }
  const sources = [...sessions].map(([key, own]) =>
    sourceOf(own, basename(key) === 'events' ? basename(dirname(key)) : undefined),
  );
  return [...sources, ...[...storages].flatMap(openCodeSessions)];
}

/** The storage of opencode that a session's file lies in. */
function openCodeStorage(path: string): string | undefined {
  const session = /^(.*)\/session\/[^/]+\/ses_[^/]*\.json$/.exec(path)?.[1];
  const part = /^(.*)\/(?:message|part)\/[^/]+\/(?:msg|prt)_[^/]*\.json$/.exec(path)?.[1];
  return session ?? part;
}

/** A session of opencode is a file for itself, for each message, and for each part of it; their names are in their order. */
function openCodeSessions(storage: string): Source[] {
  const sessions = listed(join(storage, 'session')).flatMap((project) => listed(project));
  return sessions.map((session) => {
    const id = basename(session, '.json');
    const messages = listed(join(storage, 'message', id));
    const files = messages.flatMap((message) => [
      message,
      ...listed(join(storage, 'part', basename(message, '.json'))),
    ]);
    return sourceOf([session, ...files], id);
  });
}

function listed(folder: string): string[] {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) return [];
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name));
}

function sourceOf(files: readonly string[], session: string | undefined, isNamed = false): Source {
  const stats = files.map((file) => statSync(file));
  const bytes = stats.reduce((sum, { size }) => sum + size, 0);
  return { files, session, bytes, modifiedAt: Math.max(...stats.map(({ mtimeMs }) => mtimeMs)), isNamed };
}
