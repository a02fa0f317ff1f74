import { oneLine } from '@loopwatch/detectors';

/** More faults of one file are counted, not listed. */
const LISTED_PER_FILE = 20;
/** Messages quote what they could not read. */
const MAX_MESSAGE = 300;
const EXPECTED =
  'JSON is expected: an event or an agent’s record a line, an array of them, or one document; docs/connect.md names the formats';

/** Collects what could not be read, tells it on the standard error as it comes, and sums up at the end. */
export class BadLines {
  total = 0;
  private readonly perFile = new Map<string, number>();
  private readonly wrongFromTheStart = new Set<string>();
  private readonly write: (text: string) => void;

  constructor(write: (text: string) => void = (text) => process.stderr.write(text)) {
    this.write = write;
  }

  /** A line that holds no event, or `line` 0 for the file as a whole, which is always told. */
  add(file: string, line: number, message: string): void {
    this.total += 1;
    if (line === 0) {
      this.write(`${message}\n`);
      return;
    }
    const count = (this.perFile.get(file) ?? 0) + 1;
    if (line === 2 && count === 2) this.wrongFromTheStart.add(file);
    this.perFile.set(file, count);
    if (count <= LISTED_PER_FILE)
      this.write(`${file}:${String(line)}: ${oneLine(message).slice(0, MAX_MESSAGE)}\n`);
  }

  /** Says how many were not listed, and what a file should be that was none of ours from its first line on. */
  finish(): void {
    for (const [file, count] of this.perFile) {
      if (count > LISTED_PER_FILE) this.write(`${file}: and ${badLines(count - LISTED_PER_FILE, 'more ')}\n`);
      if (this.wrongFromTheStart.has(file)) this.write(`${file}: ${EXPECTED}\n`);
    }
  }
}

/** `1 bad line`, `2 bad lines`. */
export function badLines(count: number, more = ''): string {
  return `${String(count)} ${more}bad ${count === 1 ? 'line' : 'lines'}`;
}
