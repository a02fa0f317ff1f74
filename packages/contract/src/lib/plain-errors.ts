import type * as core from 'zod/v4/core';
import { issueText, kindName } from './issue-text.ts';
import { didYouMean, nearest } from './nearest.ts';

/**
 * For zod's `safeParse`: messages that say in plain words what a value must be, wherever the schema has no message of its
 * own. Whatever a person reads about an invalid value comes from here.
 */
export const plainErrors: core.ParseContext<core.$ZodIssue> = { error: plainText };

/** Unknown keys for which the nearest known one is looked for. */
const MAX_MEANT = 5;

const sized = new Set(['array', 'string']);

const wide: Readonly<Record<string, string>> = { boolean: 'true or false', record: 'an object' };

const formats: Readonly<Record<string, string>> = {
  datetime: 'a time, such as 2026-11-30T10:00:00Z',
  url: 'a URL, such as https://example.com',
  email: 'an email address, such as oncall@example.com',
};

function plainText(issue: core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is required';
      return issue.expected === 'int' ? issueText(issue) : typeText(issue);
    case 'invalid_value': {
      const known = issue.values.map(String).join(', ');
      const text = issue.values.length === 1 ? `must be ${known}` : issueText(issue);
      return issue.input === undefined ? `is required, and ${text}` : text;
    }
    case 'too_small':
      return issue.minimum === 1 && sized.has(issue.origin) ? 'must not be empty' : issueText(issue);
    case 'too_big':
      return issue.inclusive === false ? `must be less than ${String(issue.maximum)}` : issueText(issue);
    case 'invalid_format':
      if (issue.format === 'regex') return `must match ${String(issue.pattern)}`;
      return `must be ${formats[issue.format] ?? `in the format ${issue.format}`}`;
    case 'not_multiple_of':
      return `must be a multiple of ${String(issue.divisor)}`;
    case 'unrecognized_keys': {
      const { shape = {} } = issue.inst?._zod.def as { shape?: object };
      const meant = issue.keys.slice(0, MAX_MEANT).flatMap((key) => nearest(key, Object.keys(shape)) ?? []);
      return issueText(issue) + didYouMean(meant.length === 0 ? undefined : meant.join(', '));
    }
    case 'invalid_key':
      return `its name ${issue.issues[0]?.message ?? 'is not valid'}`;
    case 'invalid_union':
      return issue.input === undefined ? 'is required' : unionText(issue);
    default:
      return 'is not valid';
  }
}

/** What the value must be, and what it is. Numbers are not quoted: an unquoted secret in YAML can be one. */
function typeText({ input, expected }: core.$ZodRawIssue<core.$ZodIssueInvalidType>): string {
  const isQuoted = input === null || typeof input === 'boolean' || Number.isNaN(input);
  const given = isQuoted ? String(input) : kindName(Array.isArray(input) ? 'array' : typeof input);
  return `must be ${wide[expected] ?? kindName(expected)}, not ${given}`;
}

/** What the alternative that fits best demands, or all of them if the value is of another kind than each. */
function unionText({ errors, options }: core.$ZodRawIssue<core.$ZodIssueInvalidUnion>): string {
  if (errors.length === 0) return `must be one of ${(options as readonly string[] | undefined)?.join(', ')}`;
  const near = errors.find((issues) => !issues.some(isOfOtherKind));
  if (near !== undefined)
    return near.map(({ path, message }) => [...path.map(String), message].join(' ')).join('; ');
  const kinds = errors.flat().map(({ message }) => message.replace(/^must be |, not .*$/g, ''));
  return `must be ${[...new Set(kinds)].join(', or ')}`;
}

function isOfOtherKind({ code, path }: core.$ZodIssue): boolean {
  return path.length === 0 && (code === 'invalid_type' || code === 'invalid_value');
}
