import { unitAt } from './text-units.ts';

/** Where programs put temporary files. */
const FOLDER = /^(?:\/private)?\/(?:tmp|var\/(?:tmp|folders))\/|^Temp$/;
const FOLDER_UNITS = 24;
const FILE = /\/(?:tmp|T)\/(?:tmp|cc(?=\w{6}$))/;

const SLASH = 0x2f;
const BACKSLASH = 0x5c;
const DOT = 0x2e;
const UPPER_T = 0x54;

/** Tells which tokens of a text belong to the path of a temporary file; a path may have several tokens. */
export class TemporaryPaths {
  readonly #text: string;
  #lastEnd = 0;
  /** Whether the latest token belongs to such a path; then a token that does not start one may, too. */
  isInside = false;

  constructor(text: string) {
    this.#text = text;
  }

  /** To be asked of each token in the order of the text, except of words after which nothing can change. */
  includes(start: number, end: number): boolean {
    const text = this.#text;
    const unit = text.charCodeAt(start);
    if (mayStartPath(unit))
      this.isInside =
        mayBeFolder(text, start, end) && FOLDER.test(text.slice(start, Math.min(end, start + FOLDER_UNITS)));
    else if (this.isInside) {
      const joint = unitAt(text, start - 1);
      this.isInside = start - this.#lastEnd <= 1 && (joint === DOT || joint === BACKSLASH);
    }
    return this.isInside;
  }

  /** To be told where a token inside a path ends. */
  noteEnd(end: number): void {
    this.#lastEnd = end;
  }
}

/** Whether a token that starts with this unit may start a path. */
export function mayStartPath(unit: number): boolean {
  return unit === SLASH || unit === UPPER_T;
}

/** Most paths do not pass, which makes the expression rare. */
function mayBeFolder(text: string, start: number, end: number): boolean {
  const unit = unitAt(text, start + 1);
  return end - start === 4 || unit === 0x70 || unit === 0x74 || unit === 0x76;
}

/** The file in a token that a program named: what follows its prefix. */
export function temporaryFile(
  text: string,
  start: number,
  end: number,
): { readonly start: number; readonly end: number } | null {
  const name = FILE.exec(text.slice(start, end));
  if (name === null) return null;
  const from = start + name.index;
  const after = text.indexOf('/', from + name[0].length);
  return { start: from, end: after === -1 || after > end ? end : after };
}
