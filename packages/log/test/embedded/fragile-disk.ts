import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import fs, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';

type FileSystem = typeof fs;

/** What is in a file, and what of it a power cut cannot take. */
interface Content {
  readonly bytes: Buffer;
  readonly onDisk: Buffer;
}

/** By its path below the disk's folder, the file that a name leads to, and the one it leads to after a power cut. */
export type Image = ReadonlyMap<string, ImageEntry>;

interface ImageEntry {
  readonly now: Content | undefined;
  readonly safe: Content | undefined;
}

/** Picks one of `count` possibilities, which go from all lost to all kept. */
export type Choose = (count: number) => number;

/** A file apart from its names. */
interface Inode {
  onDisk: Buffer;
  /** Where it can be read; what was in it last, once no name leads to it any more. */
  at: string | Buffer;
}

/**
 * What the operating system and the disk know of a folder: bytes are safe once synced, names once their folder is. So it
 * can tell what a crash leaves, at any moment.
 */
export class FragileDisk {
  readonly #root: string;
  readonly #names = new Map<string, Inode>();
  readonly #safeNames = new Map<string, Inode>();
  /** Called before and after each change; must not change anything. */
  onBoundary: () => void = () => undefined;
  /** Asked before each change: whether it is to fail half way. */
  fails: (operation: string, path: string, disk: FragileDisk) => boolean = () => false;

  constructor(root: string, image: Image = new Map()) {
    this.#root = root;
    for (const [name, { now, safe }] of image) {
      const path = join(root, name);
      mkdirSync(dirname(path), { recursive: true });
      if (now !== undefined) writeFileSync(path, now.bytes);
      const inode = now && { onDisk: now.onDisk, at: path };
      const safeInode = safe === now ? inode : safe && { onDisk: safe.onDisk, at: safe.bytes };
      if (inode !== undefined) this.#names.set(path, inode);
      if (safeInode !== undefined) this.#safeNames.set(path, safeInode);
    }
  }

  /** What a killed process leaves: all, on the disk or not. */
  killed(): Image {
    const contents = new Map<Inode, Content>();
    const content = (inode: Inode | undefined) => {
      if (inode === undefined) return undefined;
      const known = contents.get(inode) ?? { bytes: contentOf(inode), onDisk: inode.onDisk };
      contents.set(inode, known);
      return known;
    };
    return this.#image((safe, now) => ({ now: content(now), safe: content(safe) }));
  }

  /** What may be found after a power cut now. */
  powerCut(choose: Choose): Image {
    return this.#image((safe, now) => {
      const nodes = [...new Set([safe, now])];
      const inode = nodes[choose(nodes.length)];
      const bytes = inode && bytesOf(inode, choose);
      const left = bytes && { bytes, onDisk: bytes };
      return { now: left, safe: left };
    });
  }

  owns(path: unknown): path is string {
    return (
      typeof path === 'string' &&
      path.startsWith(this.#root + sep) &&
      /(?<!owner)\.(jsonl|journal|json|tmp)$/.test(path)
    );
  }

  ownsFolder(path: unknown): path is string {
    return typeof path === 'string' && path.startsWith(this.#root + sep);
  }

  async change<T>(
    operation: string,
    path: string,
    act: () => Promise<T>,
    half?: () => Promise<unknown>,
  ): Promise<T> {
    this.onBoundary();
    if (this.fails(operation, path, this)) {
      await half?.();
      throw new Error(`no ${operation} on this disk`);
    }
    return act();
  }

  synced(inode: Inode): void {
    inode.onDisk = contentOf(inode);
  }

  folderSynced(folder: string): void {
    const inFolder = (path: string) => dirname(path) === folder;
    for (const path of [...this.#safeNames.keys()].filter(inFolder)) this.#safeNames.delete(path);
    for (const [path, inode] of this.#names) if (inFolder(path)) this.#safeNames.set(path, inode);
  }

  /** To be told before a name goes to another file. */
  unlinking(path: string): void {
    const inode = this.#names.get(path);
    if (inode !== undefined) inode.at = contentOf(inode);
  }

  renamed(from: string, to: string): void {
    const inode = this.inode(from);
    inode.at = to;
    this.#names.set(to, inode);
    this.#names.delete(from);
  }

  removed(path: string): void {
    this.#names.delete(path);
  }

  #image(left: (safe: Inode | undefined, now: Inode | undefined) => ImageEntry): Image {
    const paths = [...new Set([...this.#safeNames.keys(), ...this.#names.keys()])];
    return new Map(
      paths.map((path) => [
        relative(this.#root, path),
        left(this.#safeNames.get(path), this.#names.get(path)),
      ]),
    );
  }

  /** The file under this name, a new one if there is none. */
  inode(path: string): Inode {
    let inode = this.#names.get(path);
    if (inode === undefined) {
      inode = { onDisk: Buffer.alloc(0), at: path };
      this.#names.set(path, inode);
    }
    return inode;
  }
}

function contentOf({ at }: Inode): Buffer {
  return typeof at === 'string' ? readFileSync(at) : at;
}

/** Of what was added any part may be there, of other changes all or nothing. */
function bytesOf(inode: Inode, choose: Choose): Buffer {
  const { onDisk } = inode;
  const now = contentOf(inode);
  if (!now.subarray(0, onDisk.length).equals(onDisk)) return choose(2) === 0 ? onDisk : now;
  return now.subarray(0, onDisk.length + choose(now.length - onDisk.length + 1));
}

let current: FragileDisk | undefined;

/** Has the disk see what is done to files from now on; without one, nothing is watched. */
export function watch(disk: FragileDisk | undefined): void {
  current = disk;
}

/**
 * Puts the disk behind `node:fs/promises`, also for modules that are loaded already, as they are when test files share them.
 *
 * @returns what takes it away again
 */
export function interceptFiles(): () => void {
  const real = { ...fs };
  const put = (files: Partial<FileSystem>) => {
    Object.assign(fs, files);
    syncBuiltinESMExports();
  };
  put(watched(real));
  const { open, rename, rm, truncate, writeFile } = real;
  return () => put({ open, rename, rm, truncate, writeFile });
}

function watched(real: FileSystem): Partial<FileSystem> {
  const on = async <T>(
    [operation, path]: readonly [string, string],
    act: () => Promise<T>,
    then: (disk: FragileDisk) => void = () => undefined,
    half?: () => Promise<unknown>,
  ): Promise<T> => {
    const disk = current;
    if (disk === undefined) return act();
    const result = await disk.change(operation, path, act, half);
    then(disk);
    disk.onBoundary();
    return result;
  };
  const owned = (path: unknown): path is string => current?.owns(path) === true;
  const open = async (path: string, flags?: string): Promise<FileHandle> => {
    const file = await real.open(path, flags);
    if (flags === 'r' && current?.ownsFolder(path) === true && !owned(path)) {
      const sync = file.sync.bind(file);
      file.sync = () => on(['sync', path], sync, (disk) => disk.folderSynced(path));
    }
    if (flags === 'r' || !owned(path)) return file;
    const inode = current?.inode(path);
    const appendFile = file.appendFile.bind(file);
    const datasync = file.datasync.bind(file);
    const truncate = file.truncate.bind(file);
    const writeFile = file.writeFile.bind(file);
    file.appendFile = (data) =>
      on(
        ['append', path],
        () => appendFile(data),
        undefined,
        () => appendFile((data as Buffer).subarray(0, (data as Buffer).length / 2)),
      );
    file.writeFile = (data) => on(['write', path], () => writeFile(data));
    file.truncate = (length) => on(['truncate', path], () => truncate(length));
    file.datasync = () =>
      on(
        ['datasync', path],
        () => datasync(),
        (disk) => {
          if (inode !== undefined) disk.synced(inode);
        },
      );
    return file;
  };
  return {
    open: open as FileSystem['open'],
    rename: (from, to) => {
      if (!owned(from) || !owned(to)) return real.rename(from, to);
      const act = async () => {
        current?.unlinking(to);
        await real.rename(from, to);
      };
      return on(['rename', to], act, (disk) => disk.renamed(from, to));
    },
    rm: (path, options) => {
      if (!owned(path)) return real.rm(path, options);
      const act = async () => {
        current?.unlinking(path);
        await real.rm(path, options);
      };
      return on(['rm', path], act, (disk) => disk.removed(path));
    },
    truncate: (path, length) =>
      owned(path) ? on(['truncate', path], () => real.truncate(path, length)) : real.truncate(path, length),
    writeFile: ((path, data, options) => {
      if (!owned(path)) return real.writeFile(path, data, options);
      return on(
        ['write', path],
        () => real.writeFile(path, data, options),
        (disk) => disk.inode(path),
      );
    }) as FileSystem['writeFile'],
  };
}
