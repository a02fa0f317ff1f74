import { expect } from 'vitest';
import { resolveSettings } from '../../src/internal.ts';

/** Where settings come from. */
export type Sources = Partial<Parameters<typeof resolveSettings>[0]>;

/** Settings from these sources alone. */
export const resolve = (sources: Sources) => resolveSettings({ environment: {}, flags: {}, ...sources });
export const fromFile = (value: unknown, more: Sources = {}) =>
  resolve({ file: { name: 'config.yaml', value }, ...more });

/** What was resolved; throws if it has errors. */
export function sound(resolved: ReturnType<typeof resolveSettings>) {
  if (!resolved.ok) throw new Error(resolved.errors.join('\n'));
  return resolved;
}

/** The errors; there must be some. */
export function faults(resolved: ReturnType<typeof resolveSettings>): readonly string[] {
  expect(resolved.ok).toBe(false);
  return resolved.ok ? [] : resolved.errors;
}
