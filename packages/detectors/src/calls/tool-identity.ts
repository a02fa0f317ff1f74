import { canonicalJson } from '../lib/canonical-json.ts';
import { sha256 } from '../lib/digest.ts';
import { ownCopy } from '../lib/own-copy.ts';

/**
 * The canonical text of a call's arguments: a JSON string is parsed first, any other string is only trimmed; missing
 * arguments, `""` and `{}` are equal.
 */
export function canonicalArguments(args: unknown): string {
  const value = typeof args === 'string' ? parsed(args.trim()) : { json: args };
  if (value === undefined) return typeof args === 'string' && args.trim() !== '' ? args.trim() : '{}';
  return value.json === undefined || value.json === null ? '{}' : canonicalJson(value.json);
}

function parsed(text: string): { json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Longer canonical arguments are stored as a prefix and a SHA-256 digest. */
const KEPT_UNITS = 512;

/** The identity of a call: the tool and its canonical arguments, never the call id. */
export interface ToolIdentity {
  readonly name: string;
  /** Canonical arguments, or their first units if they are long. */
  readonly arguments: string;
  /** Length of the whole canonical form, in UTF-16 code units. */
  readonly length: number;
  /** SHA-256 of the whole canonical form if `arguments` holds only its beginning. */
  readonly digest: string | undefined;
}

export function toolIdentity(name: string, canonical: string): ToolIdentity {
  const { length } = canonical;
  if (length <= KEPT_UNITS) return { name, arguments: canonical, length, digest: undefined };
  // UTF-8 would turn every lone surrogate into U+FFFD. Only text outside JSON strings has unescaped ones.
  const digest = sha256(escapeLoneSurrogates(canonical), 64);
  return { name, arguments: ownCopy(canonical, 0, KEPT_UNITS), length, digest };
}

/** The text itself, or its SHA-256 if that is shorter: equal exactly when the texts are. */
export function fingerprint(text: string): string {
  if (text.length <= 64) return text;
  return `…${sha256(escapeLoneSurrogates(text), 64)}`;
}

export function sameIdentity(a: ToolIdentity, b: ToolIdentity): boolean {
  return a.length === b.length && a.digest === b.digest && a.name === b.name && a.arguments === b.arguments;
}

/** The identity in readable form: `read_file:{"path":"a"}`. */
export function signature(identity: ToolIdentity): string {
  return `${identity.name}:${identity.arguments}${identity.digest === undefined ? '' : '…'}`;
}

function escapeLoneSurrogates(text: string): string {
  return text.isWellFormed() ? text : JSON.stringify(text);
}
