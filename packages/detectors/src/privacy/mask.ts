import { type MaskPatterns, maskMatches, maskPatterns, noMaskPatterns } from './mask-patterns.ts';
import { NAMED_SIGN, NAMED_WORDS, replaceNamed } from './named-secrets.ts';
import { replaceInForms } from './replace-in-forms.ts';
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
  { isNamed, hasToken }: Signs,
  { further, hide, isCut }: Masking,
): string {
  let masked = text;
  if (hasToken) for (const shape of PRIVATE_KEYS) masked = masked.replace(shape, hide);
  if (isNamed) masked = replaceNamed(masked, hide);
  masked = replaceInForms(masked, hide);
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
