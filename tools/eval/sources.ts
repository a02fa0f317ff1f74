import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { InputError } from './input-error.ts';

/** Sessions of one kind. Those of one source may be interleaved, also across its files. */
export interface Source {
  readonly name: string;
  readonly files: readonly string[];
}

const recorded = /\.events\.jsonl(?:\.gz)?$/;

/** Each file of recorded events below a folder is a source, named after the file. */
export function findSources(folder: string): Source[] {
  const files = existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => recorded.test(file))
    : [];
  if (files.length === 0) {
    throw new InputError(
      `${resolve(folder)}: no recorded events (*.events.jsonl.gz) below this folder. Name one that holds some by\n` +
        '  npm run eval -- --data FOLDER     or by LOOPWATCH_SHARED_DATA\n' +
        'A running server exports events and labels of its triaged sessions: docs/api.md',
    );
  }
  const sources = files.toSorted().map((file) => ({
    name: basename(file).replace(recorded, ''),
    files: [join(folder, file)],
  }));
  const names = new Map<string, string>();
  for (const { name, files } of sources) {
    const [file = ''] = files;
    const other = names.get(name);
    if (other !== undefined)
      throw new InputError(
        `${file}: ${other} has the same name; rename one, since a source is named after its file`,
      );
    names.set(name, file);
  }
  return sources.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** `a.jsonl,folder/*.jsonl.gz`: the files, in order. `*` stands for any letters of a file's name. */
export function expandPatterns(patterns: string): string[] {
  return patterns.split(',').flatMap((pattern) => {
    if (!basename(pattern).includes('*')) {
      if (!existsSync(pattern)) throw new InputError(`${pattern}: no such file`);
      return [pattern];
    }
    const folder = dirname(pattern);
    const parts = basename(pattern)
      .split('*')
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    const name = new RegExp(`^${parts.join('.*')}$`);
    const files = existsSync(folder) ? readdirSync(folder).filter((file) => name.test(file)) : [];
    if (files.length === 0) throw new InputError(`${pattern}: no such file`);
    return files.toSorted().map((file) => join(folder, file));
  });
}
