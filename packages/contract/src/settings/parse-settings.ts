import type * as core from 'zod/v4/core';
import { errorsText, issueText, type KnownIssue } from '../lib/issue-text.ts';
import type { Bounds, Definition, Limits } from './definition.ts';
import { type SettingSchema, schemaDef } from './setting-paths.ts';

/*
 * Reads values by their definitions exactly as zod does by the schemas that are made of them: the same values, and the same
 * issues in the same order, which tests compare. Without zod the library is 5 kB smaller.
 */

/** What is wrong with a value. */
export type SettingIssue = core.$ZodIssue;

export type ParsedSettings<T> =
  | { readonly success: true; readonly data: T }
  | { readonly success: false; readonly issues: readonly SettingIssue[] };

/** Reads a value, with all issues if it is invalid. */
export function safeParseSettings<Output, Input>(
  definition: Definition<Output, Input>,
  input: unknown,
): ParsedSettings<Output> {
  const reading = new Reading(input);
  const data = reading.read(definition) as Output;
  return reading.issues.length === 0 ? { success: true, data } : { success: false, issues: reading.issues };
}

/** Reads a value. @throws TypeError that names each key with an invalid value */
export function parseSettings<Output, Input>(definition: Definition<Output, Input>, input: unknown): Output {
  const parsed = safeParseSettings(definition, input);
  if (parsed.success) return parsed.data;
  throw new TypeError(errorsText(parsed));
}

/** Whether a value is valid. */
export function isSetting(definition: SettingSchema, input: unknown): boolean {
  return safeParseSettings(definition, input).success;
}

type Def = core.$ZodTypes['_zod']['def'] & Limits;
type Block = Record<string, unknown>;

/** A value that is being read. */
class Reading {
  readonly issues: SettingIssue[] = [];
  #input: unknown;
  /** The value is not of its kind, or a part is not: its limits mean nothing then. */
  #isWrong = false;

  constructor(input: unknown) {
    this.#input = input;
  }

  read(schema: SettingSchema): unknown {
    const def: Def = schemaDef(schema);
    const input = this.#input;
    switch (def.type) {
      case 'optional':
        return input === undefined ? undefined : this.read(def.innerType);
      case 'nullable':
        return input === null ? null : this.read(def.innerType);
      case 'prefault':
        if (input === undefined) this.#input = def.defaultValue;
        return this.read(def.innerType);
      default: {
        const value = this.#valueOf(def);
        if (!this.#isWrong) this.#checkLimits(def, value);
        return value;
      }
    }
  }

  #valueOf(def: Def): unknown {
    const input = this.#input;
    switch (def.type) {
      case 'array':
        if (Array.isArray(input))
          return Array.from(input, (entry: unknown, index) => this.#part([index], def.element, entry));
        break;
      case 'object':
        if (typeof input === 'object' && input !== null && !Array.isArray(input))
          return this.#block(input as Block, def);
        break;
      case 'enum': {
        const values = Object.values(def.entries);
        if (values.includes(input as string)) return def.spelling?.(input as never) ?? input;
        return this.#refuse({ code: 'invalid_value', values });
      }
      case 'number':
        if (Number.isFinite(input)) return this.#number(input as number, def.bounds ?? {});
        break;
      default:
        if (typeof input === def.type) return input;
    }
    return this.#refuse({ code: 'invalid_type', expected: def.type });
  }

  #number(input: number, { isWhole = false, above, min, max = Infinity }: Bounds): unknown {
    if (isWhole && !Number.isInteger(input)) return this.#refuse({ code: 'invalid_type', expected: 'int' });
    if (isWhole && !Number.isSafeInteger(input)) this.#refuseMore('int', Number.MAX_SAFE_INTEGER);
    const inclusive = above === undefined;
    const minimum = above ?? min ?? -Infinity;
    if (inclusive ? input < minimum : input <= minimum)
      this.#say({ code: 'too_small', origin: 'number', minimum, inclusive });
    if (input > max) this.#refuseMore('number', max);
    return input;
  }

  #block(input: Block, { shape, catchall }: core.$ZodObjectDef): Block {
    const data: Block = {};
    const take = (key: string, schema: SettingSchema): void => {
      const value = this.#part([key], schema, input[key]);
      if (value !== undefined || key in input) data[key] = value;
    };
    for (const [key, schema] of Object.entries<SettingSchema>(shape)) take(key, schema);
    const keys: string[] = [];
    // Keys that are inherited count too, as zod counts them.
    for (const key in input) {
      if (Object.hasOwn(shape, key)) continue;
      if (catchall === undefined) keys.push(key);
      // As a key of the copy, it would replace the prototype.
      else if (key !== '__proto__') take(key, catchall);
    }
    if (keys.length > 0) this.#say({ code: 'unrecognized_keys', keys });
    return data;
  }

  /** The value of a part; its issues are added to those of the whole. */
  #part(path: readonly PropertyKey[], schema: SettingSchema, input: unknown): unknown {
    const part = new Reading(input);
    const value = part.read(schema);
    for (const issue of part.issues) this.issues.push({ ...issue, path: [...path, ...issue.path] });
    this.#isWrong ||= part.#isWrong;
    return value;
  }

  #checkLimits({ type, maxLength, rules = [] }: Def, value: unknown): void {
    if (maxLength !== undefined && Array.from(value as Iterable<unknown>).length > maxLength)
      this.#refuseMore(type, maxLength);
    for (const rule of rules)
      rule(value as never, (message, path = []) => this.#say({ code: 'custom', message, path }));
  }

  #refuseMore(origin: string, maximum: number): void {
    this.#say({ code: 'too_big', origin, maximum, inclusive: true });
  }

  /** No value of the kind that is expected. */
  #refuse(facts: object): unknown {
    this.#isWrong = true;
    this.#say(facts);
    return undefined;
  }

  #say(facts: object): void {
    const message = issueText(facts as KnownIssue);
    this.issues.push({ path: [], message, ...facts } as unknown as SettingIssue);
  }
}
