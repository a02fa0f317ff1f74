import { safeParseSettings } from '@loopwatch/contract/internal';
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
  return parsed.issues.map(({ path: at, message: text }) => ({ at, text }));
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
