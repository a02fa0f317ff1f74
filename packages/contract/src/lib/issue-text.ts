import type * as core from 'zod/v4/core';

/*
 * What is wrong with a value, in words that follow its name: `must be a list, not text`. They quote no text and no number
 * of the value, which may be a secret.
 */

interface Issues {
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
}

/** All that is wrong, each with the path to it: `usage.inputTokens: must be a number, not text`. */
export function errorsText({ issues }: Issues): string {
  return issues.map(({ path, message }) => `${path.join('.') || 'value'}: ${message}`).join('; ');
}

const kinds: Readonly<Record<string, string>> = {
  array: 'a list',
  int: 'a whole number',
  object: 'an object',
  string: 'text',
};
const units: Readonly<Record<string, string>> = { array: ' entries', string: ' characters' };

/** What settings can have: of the issues of zod, those that `safeParseSettings` finds too. */
export type KnownIssue = core.$ZodRawIssue<
  Extract<
    core.$ZodIssue,
    { code: 'invalid_type' | 'invalid_value' | 'too_small' | 'too_big' | 'unrecognized_keys' }
  >
>;

/** @param issue one that has no message yet */
export function issueText(issue: KnownIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kindName(issue.expected)}`;
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`;
    case 'too_small':
      return `must be ${issue.inclusive ? 'at least' : 'more than'} ${String(issue.minimum)}${unitOf(issue)}`;
    case 'too_big':
      return `must be at most ${String(issue.maximum)}${unitOf(issue)}`;
    case 'unrecognized_keys':
      return `unknown key ${issue.keys.join(', ')}`;
  }
}

/** A type in words. */
export function kindName(type: string): string {
  return kinds[type] ?? `a ${type}`;
}

function unitOf({ origin }: { readonly origin: string }): string {
  return units[origin] ?? '';
}
