import type { DetectionSettings } from '@loopwatch/contract';
import { type MaskPatterns, maskMatches, maskPatterns, noMaskPatterns } from './mask-patterns.ts';

/**
 * Secrets have no place in a verdict: what looks like one is replaced before it leaves the detectors. The patterns are
 * those of tokens with a recognisable shape, and of values whose key says what they are.
 */
export const MASK = '‹masked›';

const SHAPES = [
  /\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}/g,
  /\bsk_(?:live|test)_[A-Za-z0-9]{16,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{20,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{20,}/g,
  /\bglpat-[A-Za-z0-9_-]{16,}/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g,
  /\bA(?:KI|SI)A[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{35}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
];
/** The end of a key that begins before the text does; it is searched once no key is whole any more. */
const KEY_END = /^[\s\S]*-----END [A-Z ]*PRIVATE KEY-----/;
/** A token of three parts: in `eyJ-eyJ-…` each is a beginning, and none has a second part. So it is searched as users' patterns are. */
const WEB_TOKEN = maskPatterns(['\\beyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{4,}']);
const BEARER = /\b(Bearer|Basic)\s+[A-Za-z0-9+/._~-]{12,}=*/gi;
const URL_PASSWORD = /([a-z0-9+.-]:\/\/[^\s:/@]{1,256}:)[^\s/@]{1,256}@/gi;
/**
 * A value in quotes behind a key that says what it is. Inside JSON inside JSON the quotes carry backslashes: the value
 * ends at the quote with as many as the one it began with, so that an escaped quote within it does not end it.
 */
const KEYED =
  /((?:\\{0,15}["'])?(?:api[_-]?key|access[_-]?key|secret|token|password|passwd|pwd|authorization|credentials?|private[_-]?key)(?:\\{0,15}["'])?\s*[:=]\s*(\\{0,15})(["']))(?!\2\3)[\s\S]+?(?=(?<!\\)\2\3|$)/gi;

/** What a cut leaves of a secret too short for its shape. A short number behind a host is its port. */
const UNFINISHED = [
  /\b(?:(?:sk|pk|rk)-|sk_(?:live|test)_|gh[pousr]_|github_pat_|glpat-|xox[abeoprs]-|A(?:KI|SI)A|AIza|eyJ)[A-Za-z0-9._-]{4,40}(?=$|[…”])/g,
  /(?<=[a-z0-9+.-]:\/\/[^\s:/@]{1,256}:)(?!\d{1,5}(?:$|[…”]))[^\s/@…”]{1,256}(?=$|[…”])/gi,
  /(?<=\b(?:Bearer|Basic)\s)[A-Za-z0-9+/._~-]{4,11}(?=$|[…”])/g,
];

/**
 * Replaces what looks like a secret, and every match of the further patterns.
 *
 * @param seen told of each secret; where it is given, the text may have been cut, and what a cut may have left of a secret is
 *   masked too
 */
export function maskSecrets(
  text: string,
  further: MaskPatterns = noMaskPatterns,
  seen?: (secret: string) => void,
): string {
  const hide = (secret: string): string => {
    seen?.(secret);
    return MASK;
  };
  let masked = text
    .replace(KEYED, (whole: string, key: string) => key + hide(whole.slice(key.length)))
    .replace(
      BEARER,
      (whole: string, scheme: string) => `${scheme} ${hide(whole.slice(scheme.length).trim())}`,
    )
    .replace(
      URL_PASSWORD,
      (whole: string, before: string) => `${before}${hide(whole.slice(before.length, -1))}@`,
    );
  for (const shape of SHAPES) masked = masked.replace(shape, hide);
  if (masked.includes('eyJ')) masked = maskMatches(masked, WEB_TOKEN, MASK, seen);
  if (further.length > 0) masked = maskMatches(masked, further, MASK, seen);
  if (seen === undefined) return masked;
  for (const shape of UNFINISHED) masked = masked.replace(shape, hide);
  return masked.replace(KEY_END, MASK);
}

/** Units that a cut has to leave of a secret to be masked: fewer say little, and are part of many words. */
const MIN_REST = 4;
/** Units from which on a secret is masked also where nothing tells it from other text; less may be any word. */
const MIN_WHOLE = 8;
/** Where a text is quoted or cut within another one. */
const EDGES = /([“”…])/;

/**
 * Masks texts that belong together. Most were cut before they come here, and a cut may go through a secret: what is left of
 * it no pattern matches any more. But what repeats is whole somewhere else, so what begins or ends as a known secret goes on
 * or stops is masked as well.
 */
export class SecretMask {
  private readonly patterns: MaskPatterns;
  private readonly secrets = new Set<string>();

  constructor(patterns: MaskPatterns) {
    this.patterns = patterns;
  }

  /** Masks all secrets that are whole, and notes them for {@link maskRests}. */
  mask(text: string): string {
    return maskSecrets(text, this.patterns, (secret) => this.secrets.add(secret));
  }

  /** Whether there is anything to be done by {@link maskRests}. */
  get hasSecrets(): boolean {
    return this.secrets.size > 0;
  }

  /** Masks what cuts have left of the secrets in a masked text; to be called once all texts have been masked. */
  maskRests(text: string): string {
    // What is part of a longer one comes behind it.
    const secrets = [...this.secrets].sort((a, b) => b.length - a.length);
    return text
      .split(EDGES)
      .map((part, i) => (i % 2 === 1 ? part : maskEdges(part, secrets)))
      .join('');
  }
}

function maskEdges(part: string, secrets: readonly string[]): string {
  let masked = part;
  for (const secret of secrets) {
    // A cut may have taken what tells it, such as its key.
    if (secret.length >= MIN_WHOLE) masked = masked.replaceAll(secret, MASK);
    if (masked.length >= MIN_REST && secret.includes(masked)) return MASK;
    const head = restLength(secret, (length) => masked.startsWith(secret.slice(-length)));
    if (head > 0) masked = MASK + masked.slice(head);
    const tail = restLength(secret, (length) => masked.endsWith(secret.slice(0, length)));
    if (tail > 0) masked = masked.slice(0, -tail) + MASK;
  }
  return masked;
}

/** The longest part of a secret, but not all of it, that is there; 0 where none is. */
function restLength(secret: string, isThere: (length: number) => boolean): number {
  for (let length = secret.length - 1; length >= MIN_REST; length -= 1) if (isThere(length)) return length;
  return 0;
}

/** What may leave the detectors. */
export interface Privacy {
  /** Further patterns whose matches are masked, beside those of known secrets. */
  readonly mask: MaskPatterns;
  /** Whether verdicts may carry what the agent wrote: arguments and text. */
  readonly storeText: boolean;
}

export function privacyOf({ mask, store_text: storeText }: DetectionSettings['privacy']): Privacy {
  return { mask: maskPatterns(mask), storeText };
}

/** No text of an evidence is longer, and no list has more entries: together they keep it within 32 KiB. */
const MAX_TEXT_UNITS = 2000;
const MAX_ENTRIES = 16;
const MAX_BYTES = 32 * 1024;

/** Entries of an evidence that hold what the agent wrote. */
const AGENT_TEXT = new Set(['arguments', 'text', 'repeated', 'analysis']);
export const NOT_STORED = '‹not stored›';

/** How the texts of a verdict may leave. */
export interface Presentation {
  readonly secrets: SecretMask;
  /** Whether they may hold what the agent wrote. */
  readonly storeText: boolean;
}

/** An evidence as it may leave: secrets masked, bounded to 32 KiB of UTF-8, without the agent's text if so wanted. */
export function presentable<T extends object>(evidence: T, presentation: Presentation): T {
  for (let limit = MAX_TEXT_UNITS; ; limit = Math.floor(limit / 2)) {
    const bounded = bound(evidence, limit, presentation) as T;
    if (utf8Length(JSON.stringify(bounded)) <= MAX_BYTES) return bounded;
  }
}

/** A text as it may leave. */
export function presentableText(text: string, maxUnits: number, { secrets }: Presentation): string {
  const masked = secrets.mask(text);
  return masked.length <= maxUnits ? masked : `${masked.slice(0, maxUnits)}…`;
}

/** Evidence is built by detectors and never deep, so this recursion is bounded. */
function bound(value: unknown, maxUnits: number, presentation: Presentation): unknown {
  if (typeof value === 'string') return presentableText(value, maxUnits, presentation);
  if (Array.isArray(value))
    return value.slice(0, MAX_ENTRIES).map((entry) => bound(entry, maxUnits, presentation));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, entry]) => {
    const hidden = !presentation.storeText && typeof entry === 'string' && AGENT_TEXT.has(key);
    return [key, hidden ? NOT_STORED : bound(entry, maxUnits, presentation)] as const;
  });
  return Object.fromEntries(entries);
}

/** The same with what cuts have left of secrets masked, in every text of it. */
export function withoutRests<T>(value: T, secrets: SecretMask): T {
  return secrets.hasSecrets ? (mapTexts(value, (text) => secrets.maskRests(text)) as T) : value;
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((entry) => mapTexts(entry, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, mapTexts(entry, change)]));
}

/** Bytes of a text in UTF-8. */
function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
