import { type Dirent, existsSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UsageError } from '../errors.ts';
import type { BadLines } from '../events/bad-lines.ts';
import { beginningOf } from '../events/beginning-of.ts';
import { compressionOf, decompressedBeginning } from '../events/compression.ts';
import { isDatabase } from '../events/read-database.ts';
import { describeFailure } from '../events/read-lines.ts';
import { sessionInPath } from '../events/session-in-path.ts';
import { anyHistoryFile, type History } from './histories.ts';

/** A history file, or several files that make up one session and are read in order. */
export interface Source {
  readonly files: readonly string[];
  /** Id of the session that several files make up. */
  readonly session: string | undefined;
  /** Size on disk. */
  readonly bytes: number;
  /** When it was last written, epoch ms. */
  readonly modifiedAt: number;
  /** The agent in whose folder it was found. */
  readonly agent: string | undefined;
  /** Whether the user named the file; files found in folders may have an unknown format. */
  readonly isNamed: boolean;
}

/**
 * The histories in the agents' own folders, oldest first, so that an original precedes its copies.
 *
 * @param bad told of folders that cannot be read
 */
export function findSources(histories: readonly History[], since: number, bad: BadLines): Source[] {
  return histories
    .flatMap(({ agent, folder, files, isFlat }) =>
      findSourcesIn(folder, files, bad, isFlat).map((source) => ({ ...source, agent })),
    )
    .filter(({ modifiedAt }) => modifiedAt >= since)
    .sort((a, b) => a.modifiedAt - b.modifiedAt);
}

/**
 * The histories in files and folders that the user names, each file once.
 *
 * @throws UsageError when a path does not exist
 */
export function findSourcesAt(paths: readonly string[], since: number, bad: BadLines): Source[] {
  const all = withoutRepeats(
    paths.flatMap((path) => {
      if (!existsSync(path)) throw new UsageError(`${path}: no such file or folder`);
      return statSync(path).isDirectory()
        ? findSourcesIn(path, anyHistoryFile, bad)
        : [sourceOf([path], undefined, true)];
    }),
  );
  const exports = all.filter(isExport);
  const sources = all.filter((source) => !exports.includes(source));
  // Spans and log records of one trace can be in files of their own.
  if (exports.length > 0)
    sources.push(
      sourceOf(
        exports.flatMap(({ files }) => files),
        undefined,
        true,
      ),
    );
  return sources.filter(({ modifiedAt }) => modifiedAt >= since).sort((a, b) => a.modifiedAt - b.modifiedAt);
}

/**
 * A folder may contain others of the paths, or be another name of one. A file that the user names beside its folder stays with the
 * files of its session, and named.
 */
function withoutRepeats(sources: readonly Source[]): Source[] {
  const paths = new Map(sources.flatMap(({ files }) => files.map((file) => [file, realPath(file)])));
  const pathOf = (file: string) => paths.get(file) ?? file;
  const pathsOf = (isNamed: boolean) =>
    new Set(sources.flatMap((one) => (one.isNamed === isNamed ? one.files.map(pathOf) : [])));
  const named = pathsOf(true);
  const inFolders = pathsOf(false);
  const known = new Set<string>();
  return sources.flatMap((source) => {
    const own = source.files.filter((file) => {
      const path = pathOf(file);
      if (known.has(path) || (source.isNamed && inFolders.has(path))) return false;
      known.add(path);
      return true;
    });
    if (own.length === 0) return [];
    const isNamed = own.some((file) => named.has(pathOf(file)));
    return own.length === source.files.length
      ? [{ ...source, isNamed }]
      : [sourceOf(own, source.session, isNamed)];
  });
}

function realPath(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    return file;
  }
}

/** Bytes at the start of a file that tell whether it is an export of OpenTelemetry; zstd is decompressed by blocks. */
const EXAMINED_BYTES = 4096;
const EXAMINED_COMPRESSED_BYTES = 1 << 18;
const exportKeys = /"resource_?(?:spans|logs)"|"traceId"[^]*"spanId"|"spanId"[^]*"traceId"/i;

function isExport({ files: [file = '', ...others] }: Source): boolean {
  return others.length === 0 && !isDatabase(file) && exportKeys.test(textAtStart(file));
}

function textAtStart(file: string): string {
  const bytes = beginningOf(file, EXAMINED_BYTES);
  if (bytes === undefined || compressionOf(bytes) === undefined) return bytes?.toString() ?? '';
  const compressed = beginningOf(file, EXAMINED_COMPRESSED_BYTES) ?? bytes;
  return decompressedBeginning(compressed).toString('utf8', 0, EXAMINED_COMPRESSED_BYTES);
}

/** Names of files that are the same for each session; the folder has its id. */
const generic = /^(?:events|context|messages|api_conversation_history|ui_messages)\.jsonl?$/;
/**
 * Files that are shortened for people, and the whole ones beside them: the messages of a task as Cline shows them, and
 * Antigravity CLI's transcript.
 */
const shortened = [
  ['ui_messages.json', 'api_conversation_history.json'],
  ['transcript.jsonl', 'transcript_full.jsonl'],
] as const;

function findSourcesIn(folder: string, files: RegExp, bad: BadLines, isFlat = false): Source[] {
  const sessions = new Map<string, string[]>();
  const paths = filesIn(folder, isFlat, bad);
  const known = new Set(paths);
  const storages = new Set<string>();
  for (const path of paths.sort()) {
    const storage = openCodeStorage(path);
    if (storage !== undefined) storages.add(storage);
    else if (files.test(path) && !isShownOnly(path, known) && !isCompressedCopy(path, known)) {
      const key = sessionInPath(path)?.isFolder === true ? dirname(path) : path;
      sessions.set(key, [...(sessions.get(key) ?? []), path]);
    }
  }
  const sources = [...sessions].map(([key, own]) => {
    const [first = ''] = own;
    const inPath = sessionInPath(first);
    if (inPath?.isFolder === true) return sourceOf(own.toSorted(byNumber), inPath.id);
    return sourceOf(own, generic.test(basename(key)) ? basename(dirname(key)) : undefined);
  });
  return [...sources, ...[...storages].flatMap((storage) => openCodeSessions(storage, bad))];
}

/** The files in a folder and, unless it is flat, in the folders within it. */
function filesIn(folder: string, isFlat: boolean, bad: BadLines): string[] {
  return entriesOf(folder, bad).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isFile()) return [path];
    return entry.isDirectory() && !isFlat ? filesIn(path, false, bad) : [];
  });
}

/** What is in a folder; nothing if there is none, as when it was removed meanwhile. */
function entriesOf(folder: string, bad: BadLines): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') bad.add(folder, 0, `${folder}: ${describeFailure(error)}`);
    return [];
  }
}

/** Agents and log rotation have both for a while, when they compress a file and when they continue it. */
function isCompressedCopy(path: string, paths: ReadonlySet<string>): boolean {
  return /\.(?:gz|zst)$/.test(path) && paths.has(path.replace(/\.\w+$/, ''));
}

function isShownOnly(path: string, paths: ReadonlySet<string>): boolean {
  const [, whole] = shortened.find(([name]) => name === basename(path)) ?? [];
  return whole !== undefined && paths.has(join(dirname(path), whole));
}

/** Orders files by the numbers in their names. */
function byNumber(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}

/** The opencode storage folder that contains a session file. */
function openCodeStorage(path: string): string | undefined {
  const session = /^(.*)\/session\/[^/]+\/ses_[^/]*\.json$/.exec(path)?.[1];
  const part = /^(.*)\/(?:message|part)\/[^/]+\/(?:msg|prt)_[^/]*\.json$/.exec(path)?.[1];
  return session ?? part;
}

/** opencode stores one file per session, message and message part; file names sort in order. */
function openCodeSessions(storage: string, bad: BadLines): Source[] {
  const list = (...folder: string[]) => {
    const path = join(storage, ...folder);
    return entriesOf(path, bad)
      .map(({ name }) => join(path, name))
      .sort();
  };
  const sessions = list('session').flatMap((project) => list('session', basename(project)));
  return sessions.map((session) => {
    const id = basename(session, '.json');
    const files = list('message', id).flatMap((message) => [
      message,
      ...list('part', basename(message, '.json')),
    ]);
    return sourceOf([session, ...files], id);
  });
}

function sourceOf(files: readonly string[], session: string | undefined, isNamed = false): Source {
  const stats = files.map(statOf);
  const bytes = stats.reduce((sum, { size }) => sum + size, 0);
  return {
    files,
    session,
    agent: undefined,
    bytes,
    modifiedAt: stats.reduce((latest, { mtimeMs }) => Math.max(latest, mtimeMs), 0),
    isNamed,
  };
}

/** @returns of a file that cannot be examined, about which its reader complains, that it is empty and new */
function statOf(file: string): Pick<Stats, 'size' | 'mtimeMs'> {
  try {
    return statSync(file);
  } catch {
    return { size: 0, mtimeMs: Number.MAX_SAFE_INTEGER };
  }
}
