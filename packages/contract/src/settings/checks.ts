import type * as core from 'zod/v4/core';

/*
 * Checks that mean and say the same as those of `zod/mini`, which come with what only other schemas need: with them, the library
 * would be 0.9 kB larger. Documents describe a check by its definition, which is that of zod.
 */

function check<T>(def: core.$ZodCheckDef, run: (payload: core.ParsePayload<T>) => void): core.$ZodCheck<T> {
  return { _zod: { def, onattach: [], check: run } };
}

const integer: core.$ZodCheckNumberFormatDef = { check: 'number_format', format: 'safeint' };

/** A whole number that is exact; what is not negative has a minimum. */
export const isInteger = check<number>(integer, ({ value: input, issues }) => {
  const maximum = Number.MAX_SAFE_INTEGER;
  if (!Number.isInteger(input))
    issues.push({ code: 'invalid_type', expected: 'int', input, continue: false });
  else if (input > maximum) issues.push({ code: 'too_big', origin: 'int', maximum, inclusive: true, input });
});

/** At least so much. */
export function minimum(value: number): core.$ZodCheck<number> {
  return lowerBound(value, true);
}

/** More than that. */
export function above(value: number): core.$ZodCheck<number> {
  return lowerBound(value, false);
}

function lowerBound(value: number, inclusive: boolean): core.$ZodCheck<number> {
  const def: core.$ZodCheckGreaterThanDef = { check: 'greater_than', value, inclusive };
  return check<number>(def, ({ value: input, issues }) => {
    if (inclusive ? input < value : input <= value)
      issues.push({ origin: 'number', code: 'too_small', minimum: value, inclusive, input, continue: true });
  });
}

/** At most so much. */
export function maximum(value: number): core.$ZodCheck<number> {
  const def: core.$ZodCheckLessThanDef = { check: 'less_than', value, inclusive: true };
  return check<number>(def, ({ value: input, issues }) => {
    if (input > value)
      issues.push({
        origin: 'number',
        code: 'too_big',
        maximum: value,
        inclusive: true,
        input,
        continue: true,
      });
  });
}

/** What `isValid` tests, with what to say of a value that fails the test. */
export function refine<T>(isValid: (value: T) => boolean, message: string): core.$ZodCheck<T> {
  return check<T>({ check: 'custom' }, ({ value: input, issues }) => {
    if (!isValid(input)) issues.push({ code: 'custom', message, input, continue: true });
  });
}

/** At most so many characters of a text, or entries of a list. */
export function maxLength<T extends string | readonly unknown[]>(maximum: number): core.$ZodCheck<T> {
  const def: core.$ZodCheckMaxLengthDef = {
    check: 'max_length',
    maximum,
    when: ({ value }) => isLong(value),
  };
  return check<T>(def, ({ value: input, issues }) => {
    const origin = typeof input === 'string' ? 'string' : 'array';
    if (Array.from<unknown>(input).length > maximum)
      issues.push({ code: 'too_big', origin, maximum, inclusive: true, input, continue: true });
  });
}

function isLong(value: unknown): boolean {
  return typeof value === 'string' || Array.isArray(value);
}
