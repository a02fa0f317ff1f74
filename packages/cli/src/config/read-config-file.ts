import { readFileSync } from 'node:fs';
import { messageOf } from '@loopwatch/contract';
import { type Document, LineCounter, parseDocument, visit } from 'yaml';
import { UsageError } from '../errors.ts';
import { encodingOf } from '../runtime/text-encoding.ts';

/**
 * Reads a YAML file; JSON is YAML too.
 *
 * @throws UsageError with file, line and column of each syntax error
 */
export function readConfigFile(file: string): unknown {
  const text = readText(file);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const mistakes = [
    ...document.errors.map(({ code, pos: [start], message }) => ({ start, message: texts[code] ?? message })),
    ...unresolvedAliases(document),
  ];
  if (mistakes.length > 0) {
    const faults = mistakes.map(({ start, message }) => {
      const { line, col } = lines.linePos(start);
      return `${file}:${line}:${col}: ${message}`;
    });
    throw new UsageError(faults.join('\n'));
  }
  try {
    return document.toJS() as unknown;
  } catch (error) {
    // Anchors that expand without limit are detected only here.
    throw new UsageError(`${file}: ${messageOf(error)}`);
  }
}

/** Where the parser's own text is for programmers. */
const texts: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: 'a second document begins here; write all settings in one',
};

/** Unknown anchors; the parser reports them only later and without a position. */
function unresolvedAliases(document: Document): { start: number; message: string }[] {
  const found: { start: number; message: string }[] = [];
  visit(document, {
    Alias: (_, alias) => {
      if (alias.resolve(document) !== undefined) return;
      found.push({
        start: alias.range?.[0] ?? 0,
        message: `anchor &${alias.source} is not defined before this`,
      });
    },
  });
  return found;
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
};

function readText(file: string): string {
  try {
    const bytes = readFileSync(file);
    return new TextDecoder(encodingOf(bytes)).decode(bytes);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new UsageError(`${file}: ${reasons[code] ?? String(error)}`);
  }
}
