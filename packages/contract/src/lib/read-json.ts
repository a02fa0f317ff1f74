import type { z } from 'zod';
import { messageOf } from './message-of.ts';

/** The value that a text of JSON says; nothing where it is none. */
export function jsonFrom(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What a text says, or what is wrong with it. */
export type ReadJson<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly why: string };

/** Reads a text that should be JSON of this form. */
export function readJson<T>(text: string, schema: z.ZodType<T>): ReadJson<T> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { ok: false, why: messageOf(error) };
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return { ok: true, value: parsed.data };
  const why = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  return { ok: false, why };
}
