import { readFileSync } from 'node:fs';
import { LineCounter, parseDocument } from 'yaml';
import { UsageError } from '../errors.ts';

/**
 * Reads a YAML file; JSON is YAML too.
 *
 * @throws UsageError names the file, and line and column of each mistake in its syntax
 */
export function readConfigFile(file: string): unknown {
  const text = readText(file);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) {
    const faults = document.errors.map(({ pos, message }) => {
      const { line, col } = lines.linePos(pos[0]);
      return `${file}:${line}:${col}: ${message}`;
    });
    throw new UsageError(faults.join('\n'));
  }
  try {
    return document.toJS() as unknown;
  } catch (error) {
    // Anchors that expand without end are found only here.
    throw new UsageError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'reading it is not allowed',
  EISDIR: 'it is a folder',
};

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new UsageError(`${file}: ${reasons[code] ?? String(error)}`);
  }
}
