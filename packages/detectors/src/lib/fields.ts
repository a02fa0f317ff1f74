import { jsonFrom } from '@loopwatch/contract';

export type Fields = Readonly<Record<string, unknown>>;

/** Whether a value has named fields, as a list has not. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fields of a JSON object; null for any other text. */
export function fieldsIn(json: string): Fields | null {
  const value = jsonFrom(json);
  return isFields(value) ? value : null;
}
