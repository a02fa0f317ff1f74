import { type DetectionSettings, utf8Length } from '@loopwatch/contract';
import { type MaskPatterns, maskMatches, maskPatterns, noMaskPatterns } from './mask-patterns.ts';
import { NAMED_SIGN, NAMED_WORDS, replaceNamed } from './named-secrets.ts';
import { replaceInForms } from './password-forms.ts';
import {
  hasTokenSign,
  KEY_END,
  PRIVATE_KEYS,
  replaceCards,
  TOKEN,
  UNFINISHED_TOKEN,
  WEBHOOK,
} from './secret-tokens.ts';

/**
 * The mask that replaces a secret: a token with a recognizable format, a value that something beside it names, a private key, the
 * number of a payment card.
 */
export const MASK = '‹masked›';

/**
 * A token of three parts. `eyJ-eyJ-…` has a possible start at every part and no match, so it uses the linear search
 * for user patterns.
 */
const WEB_TOKEN = maskPatterns(['eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{4,}']);

/** Truncated secrets, too short for their usual format. A short number after a host is its port. */
const UNFINISHED = [
  UNFINISHED_TOKEN,
  /(?<=[a-z0-9+.-]:\/\/[^\s:/@]{0,256}:)(?!\d{1,5}(?:$|[…”]))[^\s/@…”]{1,256}(?=$|[…”])/gi,
  /(?<=\b(?:Bearer|Basic)\s)[A-Za-z0-9+/._~-]{4,11}(?=$|[…”])/g,
];

/** What the patterns contain: most texts have none of it. */
const WORDS = new RegExp(NAMED_WORDS, 'i');
const SIGN = new RegExp(`${NAMED_SIGN}|://[^\\s:/@]{0,256}:`, 'i');
const DIGITS = /\d{4}[ -]?\d{4}/;

/**
 * Masks anything that looks like a secret, and every match of the additional patterns.
 *
 * @param seen called with each secret. If given, the text may have been truncated, and possible rests of secrets are
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
  const isCut = seen !== undefined;
  const signs = signsIn(text);
  const masked = replaceSecrets(text, signs, { further, hide, isCut });
  if (!isCut || (masked === text && !signs.hasWord && !signs.hasToken)) return masked;
  return UNFINISHED.reduce((rest, shape) => rest.replace(shape, hide), masked).replace(KEY_END, MASK);
}

const HIDDEN = '‹';

/**
 * Masks the secrets in a text that arrived in pieces: what they make together holds secrets that no piece holds.
 *
 * @returns the pieces; a mask is in the one in which its secret begins
 */
export function maskPieces(
  pieces: readonly string[],
  further: MaskPatterns = noMaskPatterns,
): readonly string[] {
  const text = pieces.join('');
  // Of the same length, so that each position still belongs to its piece.
  const masked = replaceSecrets(text, signsIn(text), {
    further,
    hide: (secret) => HIDDEN.repeat(secret.length),
    isCut: false,
  });
  if (masked === text) return pieces;
  let at = 0;
  let wasHidden = false;
  return pieces.map((piece) => {
    let shown = '';
    for (const end = at + piece.length; at < end; at += 1) {
      const isHidden = masked[at] === HIDDEN && (wasHidden || text[at] !== HIDDEN);
      if (!isHidden) shown += text.charAt(at);
      else if (!wasHidden) shown += MASK;
      wasHidden = isHidden;
    }
    return shown;
  });
}

/** What a text contains that secrets come with: most texts have none of it. */
interface Signs {
  readonly hasWord: boolean;
  readonly isNamed: boolean;
  readonly hasToken: boolean;
}

function signsIn(text: string): Signs {
  const hasWord = WORDS.test(text);
  return {
    hasWord,
    isNamed: hasWord && SIGN.test(text),
    hasToken: hasTokenSign(text),
  };
}

interface Masking {
  readonly further: MaskPatterns;
  /** Called with each secret, returns what is shown instead. */
  readonly hide: (secret: string) => string;
  /** Whether the text may have been truncated. */
  readonly isCut: boolean;
}

function replaceSecrets(
  text: string,
  { hasWord, isNamed, hasToken }: Signs,
  { further, hide, isCut }: Masking,
): string {
  let masked = text;
  if (hasToken) for (const shape of PRIVATE_KEYS) masked = masked.replace(shape, hide);
  if (isNamed) masked = replaceNamed(masked, hide);
  if (hasWord) masked = replaceInForms(masked, hide);
  if (hasToken) masked = withoutTokens(masked, hide, isCut);
  if (DIGITS.test(masked)) masked = replaceCards(masked, hide);
  return further.length > 0 ? maskMatches(masked, further, hide, isCut) : masked;
}

function withoutTokens(text: string, hide: (secret: string) => string, isCut: boolean): string {
  const masked = text
    .replace(TOKEN, hide)
    .replace(WEBHOOK, (whole: string, before: string) => before + hide(whole.slice(before.length)));
  return masked.includes('eyJ') ? maskMatches(masked, WEB_TOKEN, hide, isCut) : masked;
}

/** Minimum units of a secret's rest to be masked: fewer reveal little and occur in many words. */
const MIN_REST = 4;
/** Minimum units of a known secret to be masked anywhere; a shorter one may be an ordinary word. */
const MIN_WHOLE = 8;
/** Marks of a quoted or truncated text within another. */
const EDGES = /([“”…])/;

/**
 * Masks texts that belong together. Most are already truncated, and a cut may split a secret so that no pattern
 * matches its rest. But repeated text is complete somewhere else, so rests that match the beginning or end of a known
 * secret are masked too.
 */
export class SecretMask {
  readonly #patterns: MaskPatterns;
  readonly #secrets = new Set<string>();

  constructor(patterns: MaskPatterns) {
    this.#patterns = patterns;
  }

  /** Masks all complete secrets, and notes them for {@link maskRests}. */
  mask(text: string): string {
    return maskSecrets(text, this.#patterns, (secret) => this.#secrets.add(secret));
  }

  /** Whether {@link maskRests} has anything to do. */
  get hasSecrets(): boolean {
    return this.#secrets.size > 0;
  }

  /** Masks the rests of truncated secrets in a masked text. Call after all texts have been masked. */
  maskRests(text: string): string {
    // Longest first, so that a secret comes after any that contains it.
    const secrets = [...this.#secrets].sort((a, b) => b.length - a.length);
    return text
      .split(EDGES)
      .map((part, i) => (i % 2 === 1 ? part : maskEdges(part, secrets)))
      .join('');
  }
}

function maskEdges(part: string, secrets: readonly string[]): string {
  let masked = part;
  for (const secret of secrets) {
    // A cut may have removed what identifies it, such as its key.
    if (secret.length >= MIN_WHOLE) masked = masked.replaceAll(secret, MASK);
    if (masked.length >= MIN_REST && secret.includes(masked)) return MASK;
    const head = restLength(secret, (length) => masked.startsWith(secret.slice(-length)));
    if (head > 0) masked = MASK + masked.slice(head);
    const tail = restLength(secret, (length) => masked.endsWith(secret.slice(0, length)));
    if (tail > 0) masked = masked.slice(0, -tail) + MASK;
  }
  return masked;
}

/** Length of the longest proper part of a secret that is present; 0 if none is. */
function restLength(secret: string, isThere: (length: number) => boolean): number {
  for (let length = secret.length - 1; length >= MIN_REST; length -= 1) if (isThere(length)) return length;
  return 0;
}

/** Privacy settings for verdicts. */
export interface Privacy {
  /** Additional patterns whose matches are masked, besides known secret formats. */
  readonly mask: MaskPatterns;
  /** Whether verdicts may contain the agent's arguments and text. */
  readonly storeText: boolean;
}

export function privacyOf({ mask, store_text: storeText }: DetectionSettings['privacy']): Privacy {
  return { mask: maskPatterns(mask), storeText };
}

/** Maximum text length and list length in an evidence, which together keep it within 32 KiB. */
const MAX_TEXT_UNITS = 2000;
const MAX_ENTRIES = 16;
const MAX_BYTES = 32 * 1024;
/** Maximum bytes of a UTF-16 unit in UTF-8. */
const MAX_UNIT_BYTES = 3;

/** Evidence fields that hold text from the agent. */
const AGENT_TEXT = new Set(['arguments', 'text', 'repeated', 'analysis']);
export const NOT_STORED = '‹not stored›';

/** How to present the texts of a verdict. */
export interface Presentation {
  readonly secrets: SecretMask;
  /** Whether they may contain text from the agent. */
  readonly storeText: boolean;
}

/**
 * An evidence for publication: secrets masked, bounded to 32 KiB of UTF-8, and without the agent's text unless
 * allowed.
 */
export function presentable<T extends object>(evidence: T, presentation: Presentation): T {
  for (let limit = MAX_TEXT_UNITS; ; limit = Math.floor(limit / 2)) {
    const bounded = bound(evidence, limit, presentation) as T;
    const json = JSON.stringify(bounded);
    if (json.length * MAX_UNIT_BYTES <= MAX_BYTES || utf8Length(json) <= MAX_BYTES) return bounded;
  }
}

/** A text for publication: masked and bounded. */
export function presentableText(text: string, maxUnits: number, { secrets }: Presentation): string {
  const masked = secrets.mask(text);
  return masked.length <= maxUnits ? masked : `${masked.slice(0, maxUnits)}…`;
}

/** Evidence is built by detectors and never deeply nested, so this recursion is bounded. */
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

/** Masks the rests of truncated secrets in every text of a value. */
export function withoutRests<T>(value: T, secrets: SecretMask): T {
  return secrets.hasSecrets ? (mapTexts(value, (text) => secrets.maskRests(text)) as T) : value;
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((entry) => mapTexts(entry, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, mapTexts(entry, change)]));
}
