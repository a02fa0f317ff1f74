import { distance } from 'fastest-levenshtein';
import { z } from 'zod';

/**
 * The dotted paths of a settings schema: which exist, which is meant by a misspelled one, and how a text from the
 * environment or a flag becomes a value of the right type.
 */

/** One key that can be set: its path, and the schema of its value. */
export interface SettingPath {
  readonly path: string;
  readonly schema: z.ZodType;
}

/** Every path of an object schema that holds a value, blocks left out; a record is one value. */
export function settingPaths(schema: z.ZodType, prefix = ''): SettingPath[] {
  const inner = unwrap(schema);
  if (!(inner instanceof z.ZodObject)) return [{ path: prefix, schema }];
  return Object.entries(inner.shape as Record<string, z.ZodType>).flatMap(([key, value]) =>
    settingPaths(value, prefix === '' ? key : `${prefix}.${key}`),
  );
}

/** The environment name of a path: `tool_call_loop.max_repeats` is `LOOPWATCH_TOOL_CALL_LOOP_MAX_REPEATS`. */
export function environmentName(path: string): string {
  return `LOOPWATCH_${path.replace(/[^A-Za-z0-9]+/g, '_').toUpperCase()}`;
}

/** The known name nearest to a misspelled one, if one is near enough to be meant. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, edits: distance(name, candidate) }))
    .toSorted((a, b) => a.edits - b.edits);
  const best = ranked[0];
  return best !== undefined && best.edits <= Math.max(2, name.length / 3) ? best.candidate : undefined;
}

/**
 * A text as a value: JSON where it is JSON and the schema takes it, else the text itself, or a list where the schema
 * wants one (`a:9092,b:9092`).
 */
export function valueFromText(text: string, schema: z.ZodType): unknown {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodString || inner instanceof z.ZodEnum) return text;
  try {
    return JSON.parse(text);
  } catch {
    if (inner instanceof z.ZodArray) return text.split(',').map((part) => part.trim());
    return text;
  }
}

/** The schema behind defaults, optional and nullable wrappers. */
function unwrap(schema: z.ZodType): z.ZodType {
  let inner = schema;
  while (
    inner instanceof z.ZodOptional ||
    inner instanceof z.ZodNullable ||
    inner instanceof z.ZodDefault ||
    inner instanceof z.ZodPrefault
  ) {
    inner = inner.unwrap() as z.ZodType;
  }
  return inner;
}
