/**
 * Maximum size of names and ids, in UTF-8: databases index them, and limit the bytes of an index entry. Verdicts and session
 * summaries contain them and must fit into their topics.
 */
export const MAX_NAME_BYTES = 1024;

/**
 * Replaces what PostgreSQL cannot store, U+0000 and lone surrogates, by U+FFFD. UTF-8 cannot express a lone surrogate
 * either, so ids that differ only in these characters are one id in every log and database. It also replaces a U+FEFF at the
 * beginning: decoders take it for a byte order mark and drop it, so a database could answer with the name of something else.
 */
export function storableText(text: string): string {
  const unmarked = text.startsWith('\ufeff') ? `\ufffd${text.slice(1)}` : text;
  return unmarked.isWellFormed() && !unmarked.includes('\0')
    ? unmarked
    : unmarked.replaceAll('\0', '\ufffd').toWellFormed();
}

/** Replaces in JSON text, where they are escapes, the characters that PostgreSQL cannot store. */
export function storableJson(json: string): string {
  return json.includes('\\u')
    ? json.replace(ESCAPES, (escape) => (UNSTORABLE.test(escape) ? '\\ufffd' : escape))
    : json;
}

/** Also matches escaped backslashes, as `\\u0000` is a backslash and letters, and pairs of surrogates, which are no halves. */
const ESCAPES =
  /\\\\|\\u0000|\\u[Dd][89ABab][\dA-Fa-f]{2}\\u[Dd][C-Fc-f][\dA-Fa-f]{2}|\\u[Dd][89A-Fa-f][\dA-Fa-f]{2}/g;
const UNSTORABLE = /^\\u(?:0000|[Dd][89A-Fa-f]..)$/;

/** Bytes of a text in UTF-8. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x1_0000 ? 3 : 4;
  }
  return bytes;
}

/** Whether a text has more than this many bytes in UTF-8, without counting them when its length suffices. */
export function exceedsBytes(text: string, limit: number): boolean {
  if (text.length > limit) return true;
  return text.length * 3 > limit && utf8Length(text) > limit;
}

/** The part of a name that fits. */
export function shortName(name: string, maxBytes = MAX_NAME_BYTES): string {
  if (!exceedsBytes(name, maxBytes)) return name;
  let bytes = 0;
  let end = 0;
  for (const character of name) {
    bytes += utf8Length(character);
    if (bytes > maxBytes) break;
    end += character.length;
  }
  return name.slice(0, end);
}
