import { type SettingIssue, safeParseSettings } from '@loopwatch/contract/internal';
import { schemaOf } from './schema.ts';

/** A problem of a setting, at the keys that lead to it. */
export interface Problem {
  readonly at: readonly PropertyKey[];
  readonly text: string;
}

/** Why the server would refuse the value of a setting, by the same schema; empty if it would not. */
export function problemsOf(path: string, value: unknown): readonly Problem[] {
  const schema = schemaOf(path);
  const parsed = schema && safeParseSettings(schema, value);
  if (parsed?.success !== false) return [];
  return parsed.issues.map((issue) => ({ at: issue.path, text: textOf(issue) }));
}

const types: Readonly<Record<string, string>> = { number: 'a number', int: 'a whole number', string: 'text' };

function textOf(issue: SettingIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${types[issue.expected] ?? issue.expected}`;
    case 'too_small':
      return `expected ${issue.inclusive === false ? 'more than' : 'at least'} ${String(issue.minimum)}`;
    case 'too_big':
      return `expected at most ${String(issue.maximum)}`;
    case 'invalid_value':
      return `expected one of ${issue.values.map(String).join(', ')}`;
    case 'unrecognized_keys':
      return `unknown ${issue.keys.join(', ')}`;
    default:
      return issue.message;
  }
}

/** The problem of a value, or of what it contains where that has no field of its own. */
export function problemAt(
  problems: readonly Problem[],
  at: readonly PropertyKey[],
  isWhole: boolean,
): string | undefined {
  const found = problems.find(
    (one) =>
      (isWhole ? one.at.length >= at.length : one.at.length === at.length) &&
      at.every((key, index) => one.at[index] === key),
  );
  const line = found?.at[at.length];
  return typeof line === 'number' ? `line ${String(line + 1)} ${found?.text ?? ''}` : found?.text;
}
