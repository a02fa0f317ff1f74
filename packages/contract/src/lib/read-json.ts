import type * as z from 'zod';
import { exactJson } from './exact-json.ts';
import { errorsText } from './issue-text.ts';
import { messageOf } from './message-of.ts';
import { plainErrors } from './plain-errors.ts';

/** Parses JSON, see {@link exactJson}; undefined if the text is invalid. */
export function jsonFrom(text: string): unknown {
  try {
    return exactJson(text);
  } catch {
    return undefined;
  }
}

/** A parsed value, or why the text is invalid. */
export type JsonResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly why: string };

/** Parses JSON and validates it against a schema. */
export function readJson<T>(text: string, schema: z.ZodType<T>): JsonResult<T> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { ok: false, why: messageOf(error) };
  }
  const parsed = schema.safeParse(json, plainErrors);
  if (parsed.success) return { ok: true, value: parsed.data };
  return { ok: false, why: errorsText(parsed.error) };
}
