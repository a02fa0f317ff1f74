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
  masked = maskMatches(masked, WEB_TOKEN, MASK, seen);
  masked = maskMatches(masked, further, MASK, seen);
  if (seen === undefined) return masked;
  for (const shape of UNFINISHED) masked = masked.replace(shape, hide);
  return masked.replace(KEY_END, MASK);
}
