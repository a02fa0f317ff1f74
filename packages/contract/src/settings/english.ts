import { config, type core } from 'zod/mini';

/**
 * What zod says in English about the issues that settings of detection can have. Its own map covers every kind of schema: with
 * it, the library would be 0.7 kB larger.
 */
const english: core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return `Invalid input: expected ${issue.expected}, received ${typeName(issue.input)}`;
    case 'invalid_value':
      return `Invalid option: expected one of ${quoted(issue.values, '|')}`;
    case 'too_big':
      return `Too big: ${limit(issue.origin, '<', issue.inclusive, issue.maximum)}`;
    case 'too_small':
      return `Too small: ${limit(issue.origin, '>', issue.inclusive, issue.minimum)}`;
    case 'unrecognized_keys':
      return `Unrecognized key${issue.keys.length > 1 ? 's' : ''}: ${quoted(issue.keys, ', ')}`;
    default:
      return 'Invalid input';
  }
};

/**
 * For parsing settings of detection: `zod/mini` has no words for issues, and those that it is given for all schemas would be
 * words for schemas of others, too. A locale that the program chose comes first.
 */
export const inEnglish: core.ParseContext<core.$ZodIssue> = {
  error: (issue) => (config().localeError ?? english)(issue),
};

/** What is counted of a value, if it is not one number. */
const units: Readonly<Record<string, string>> = { string: ' characters', array: ' items' };

function limit(
  origin: string,
  sign: string,
  isInclusive: boolean | undefined,
  bound: number | bigint,
): string {
  const unit = units[origin];
  return `expected ${origin} to ${unit === undefined ? 'be' : 'have'} ${sign}${isInclusive ? '=' : ''}${String(bound)}${unit ?? ''}`;
}

function quoted(values: readonly unknown[], separator: string): string {
  return values.map((value) => `"${String(value)}"`).join(separator);
}

function typeName(value: unknown): string {
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (typeof value !== 'object') return typeof value;
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype === null || prototype === Object.prototype ? 'object' : prototype.constructor.name;
}
