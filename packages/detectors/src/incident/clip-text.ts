import { commonEnds } from '../lib/common-ends.ts';

/** A text on one line in quotation marks, short enough for a sentence. */
export function quote(text: string, maxUnits = 80): string {
  return `“${clipText(text, maxUnits)}”`;
}

/** Units of the beginning that are shown of a text that is told from the others only later. */
const LEAD_UNITS = 24;
/** Units that the part by which a text differs is shown with. */
const CONTEXT_UNITS = 8;
const LONG_UNITS = 4000;

/** An absolute path in many folders, of which the last ones tell most; in JSON it may follow an escaped line break. */
const LONG_PATH = /(?<=^|\\[nrt]|[^\w:/.\\])(?:\/[^\s"'\\/:,;()[\]{}<>|&]+){4,}/g;
/** The frame of every patch of one well-known format. */
const PATCH_FRAME = /\*\*\* (?:Begin|End) Patch(?:\\n|\s)*/g;

/**
 * A text on one line, short enough for a sentence. Calls often begin alike, so of a long text the middle is left out,
 * or what it has in common with the others.
 *
 * @param others texts that are shown beside it
 */
export function clipText(text: string, maxUnits: number, others: readonly string[] = []): string {
  const line = compact(text, maxUnits);
  if (line.length <= maxUnits) return line;
  const same = Math.max(0, ...others.map((other) => commonLength(line, compact(other, maxUnits))));
  const from = Math.min(same - CONTEXT_UNITS, line.length - (maxUnits - LEAD_UNITS - 1));
  if (from > LEAD_UNITS) {
    const room = maxUnits - LEAD_UNITS - 1;
    const rest = line.slice(from);
    return `${whole(line.slice(0, LEAD_UNITS))}…${rest.length <= room ? whole(rest) : `${whole(rest.slice(0, room - 1))}…`}`;
  }
  const tail = Math.floor((maxUnits - 1) / 3);
  return `${whole(line.slice(0, maxUnits - 1 - tail))}…${whole(line.slice(-tail))}`;
}

function compact(text: string, maxUnits: number): string {
  const bounded =
    text.length > LONG_UNITS ? `${text.slice(0, LONG_UNITS / 2)}…${text.slice(-LONG_UNITS / 2)}` : text;
  const line = bounded.replace(/\s+/g, ' ').trim();
  if (line.length <= maxUnits) return line;
  return line
    .replace(PATCH_FRAME, '')
    .replace(LONG_PATH, (path) => `…/${path.split('/').slice(-2).join('/')}`);
}

/** The length of the beginning that two different texts share. */
function commonLength(a: string, b: string): number {
  return a === b ? 0 : commonEnds(a, b).begin;
}

/** Removes halves of characters at the ends. */
function whole(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
}
