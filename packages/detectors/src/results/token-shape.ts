/** How a run of letters and digits looks: a random id, a number, or something that a person wrote. */
export type ShapeKind = 'id' | 'number';

const MIN_HEX = 6;
const MIN_MIXED = 5;
/** Digits after a word that make it more than a numbered name: `job48211`. */
const MIN_NUMBERED = 5;
/** The same in a folder for temporary files: `p9932`. */
const MIN_TEMPORARY = 4;
/** Letters in random case change it at almost every second unit; names do so less often. */
const MIN_CHANGING = 10;
const CHANGES = 0.4;
/** A run with joints, such as base64, must be this long to count as a whole. */
const MIN_RUN = 16;
const MIN_RUN_PIECE = 8;

interface Shape {
  readonly digits: number;
  readonly isHex: boolean;
  /** Changes between letters and digits, and between upper and lower case. */
  readonly switches: number;
  readonly caseChanges: number;
}

function shapeOf(text: string, start: number, end: number): Shape {
  let digits = 0;
  let isHex = true;
  let switches = 0;
  let caseChanges = 0;
  let before = 0;
  for (let at = start; at < end; at += 1) {
    const unit = text.charCodeAt(at);
    const isDigit = unit >= 0x30 && unit <= 0x39;
    const isUpper = unit >= 0x41 && unit <= 0x5a;
    if (isDigit) digits += 1;
    else if ((unit | 0x20) < 0x61 || (unit | 0x20) > 0x66) isHex = false;
    const kind = isDigit ? 1 : isUpper ? 2 : 3;
    if (before !== 0 && kind !== before) {
      if (kind === 1 || before === 1) switches += 1;
      else caseChanges += 1;
    }
    before = kind;
  }
  return { digits, isHex, switches, caseChanges };
}

/** The kind of a run of letters and digits; undefined if it is a word, or a numbered name such as `page2`. */
export function pieceKind(text: string, start: number, end: number): ShapeKind | undefined {
  const length = end - start;
  const { digits, isHex, switches, caseChanges } = shapeOf(text, start, end);
  if (digits === length) return 'number';
  if (digits === 0) return length >= MIN_CHANGING && caseChanges >= CHANGES * (length - 1) ? 'id' : undefined;
  if (isHex && length >= MIN_HEX) return 'id';
  if (length < MIN_MIXED) return undefined;
  return switches >= 2 || digits >= MIN_NUMBERED || caseChanges >= 3 ? 'id' : undefined;
}

/** Whether a file in a folder for temporary files has a name that no person chose. */
export function isTemporaryName(text: string, start: number, end: number): boolean {
  const { digits, switches, caseChanges } = shapeOf(text, start, end);
  if (end - start < MIN_MIXED) return false;
  return digits > 0 ? digits >= MIN_TEMPORARY || switches + caseChanges >= 2 : caseChanges >= 3;
}

const JOINT = /[_\-+/]/;
const WORD = /^(?:[A-Z]?[a-z]{2,}|[A-Z]{3,})$/;

/** Whether a run with joints is one random token, such as base64, and contains no words. */
export function isRandomRun(text: string, start: number, end: number): boolean {
  if (end - start < MIN_RUN) return false;
  const run = text.slice(start, end);
  if (!JOINT.test(run)) return false;
  let random = false;
  for (const piece of run.split(JOINT)) {
    if (WORD.test(piece)) return false;
    random ||= piece.length >= MIN_RUN_PIECE && pieceKind(piece, 0, piece.length) === 'id';
  }
  return random;
}

export const UUID_UNITS = 36;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-z])/gi;

/** Where the UUIDs in a token start. */
export function uuidsIn(text: string, start: number, end: number): readonly number[] {
  const token = text.slice(start, end);
  const found: number[] = [];
  UUID.lastIndex = 0;
  while (UUID.test(token)) found.push(start + UUID.lastIndex - UUID_UNITS);
  return found;
}

const ADDRESS = /0x[0-9a-f]{4,}(?![0-9a-z])/iy;

/** Whether an address in memory starts here. */
export function isAddress(text: string, start: number): boolean {
  ADDRESS.lastIndex = start;
  return ADDRESS.test(text);
}
