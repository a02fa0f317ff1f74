import type * as core from 'zod/v4/core';
import type { SettingSchema } from './setting-paths.ts';

/*
 * Definitions of settings as data: what zod's schemas are made of, without zod. Pages that detect loops read settings by
 * them (`parse-settings.ts`); `schema-of.ts` makes zod's schemas of them for everything else.
 */

/** A definition, and the types of values before and after they are read. */
export interface Definition<Output = unknown, Input = Output> extends SettingSchema {
  /** For the compiler; values have none. */
  readonly '~types'?: { readonly output: Output; readonly input: Input };
}

export type OutputOf<D> = D extends Definition<infer Output, unknown> ? Output : never;
export type InputOf<D> = D extends Definition<unknown, infer Input> ? Input : never;

/** Definitions by the keys of a block. */
export type Shape = Readonly<Record<string, SettingSchema>>;

type Flat<T> = { [Key in keyof T]: T[Key] };
type Block<Types> = Flat<
  { [Key in keyof Types as undefined extends Types[Key] ? never : Key]: Types[Key] } & {
    [Key in keyof Types as undefined extends Types[Key] ? Key : never]?: Types[Key];
  }
>;

export type BlockOutput<S extends Shape> = Block<{ -readonly [Key in keyof S]: OutputOf<S[Key]> }>;
export type BlockInput<S extends Shape> = Block<{ -readonly [Key in keyof S]: InputOf<S[Key]> }>;

/** A block, with its keys, which lose their types as those of a {@link SettingSchema}. */
export interface BlockDefinition<S extends Shape> extends Definition<BlockOutput<S>, BlockInput<S>> {
  readonly shape: S;
}

/** The range of a number. */
export interface Bounds {
  /** A whole number that is exact. */
  readonly isWhole?: boolean;
  readonly min?: number;
  /** What it must exceed. */
  readonly above?: number;
  readonly max?: number;
}

/** Says why a value is invalid, if it is; `path` leads to the part that is. */
export type Rule<T> = (value: T, refuse: (why: string, path?: string[]) => void) => void;

/** What a definition says besides what those of zod do. */
export interface Limits {
  readonly bounds?: Bounds;
  /** The most characters of a text, or entries of a list. */
  readonly maxLength?: number;
  readonly rules?: readonly Rule<never>[];
  /** What a word is read as. */
  readonly spelling?: (word: never) => string;
}

function define<Output, Input = Output>(def: object): Definition<Output, Input> {
  return { _zod: { def: def as core.$ZodTypeDef } };
}

export const boolean: Definition<boolean> = define({ type: 'boolean' });

/** A finite number. */
export function number(bounds: Bounds): Definition<number> {
  return define({ type: 'number', bounds });
}

export function text(maxLength?: number, ...rules: Rule<string>[]): Definition<string> {
  return define({ type: 'string', maxLength, rules });
}

/** One of these words. */
export function choice<const Word extends string>(words: readonly Word[]): Definition<Word>;
/** One of these words, read in another spelling. */
export function choice<const Word extends string, Output extends string>(
  words: readonly Word[],
  spelling: (word: Word) => Output,
): Definition<Output, Word>;
export function choice(words: readonly string[], spelling?: (word: never) => string): Definition {
  return define({ type: 'enum', entries: Object.fromEntries(words.map((word) => [word, word])), spelling });
}

export function list<Output, Input>(
  element: Definition<Output, Input>,
  maxLength?: number,
): Definition<Output[], Input[]> {
  return define({ type: 'array', element, maxLength });
}

/** Values by the keys of `shape`; others are invalid. */
export function block<const S extends Shape>(shape: S): BlockDefinition<S> {
  return { ...define<BlockOutput<S>, BlockInput<S>>({ type: 'object', shape }), shape };
}

/** Values of one kind by name, besides those of `shape`. */
export function mapOf<Output, Input>(
  value: Definition<Output, Input>,
  shape: Shape = {},
  ...rules: Rule<Record<string, Output>>[]
): Definition<Record<string, Output>, Record<string, Input>> {
  return define({ type: 'object', shape, catchall: value, rules });
}

export function optional<Output, Input>(
  innerType: Definition<Output, Input>,
): Definition<Output | undefined, Input | undefined> {
  return define({ type: 'optional', innerType });
}

export function nullable<Output, Input>(
  innerType: Definition<Output, Input>,
): Definition<Output | null, Input | null> {
  return define({ type: 'nullable', innerType });
}

/** The same keys, each of which may be absent. */
export function optionals<const S extends Shape>(shape: S): Optionals<S> {
  return mapValues(shape, optional) as Optionals<S>;
}

export type Optionals<S extends Shape> = {
  readonly [Key in keyof S]: Definition<OutputOf<S[Key]> | undefined, InputOf<S[Key]> | undefined>;
};

/** A block of which every key may be absent. */
export function partial<const S extends Shape>(shape: S): BlockDefinition<Optionals<S>> {
  return block(optionals(shape));
}

/** A value that is read as `defaultValue` if there is none. */
export function prefault<Output, Input>(
  innerType: Definition<Output, Input>,
  defaultValue: NoInfer<Input>,
): Definition<Output, Input | undefined> {
  return define({ type: 'prefault', innerType, defaultValue });
}

/** The same blocks, each of which is read as an empty one if it is absent. */
export function defaults<const S extends Shape>(shape: S): Defaults<S> {
  return mapValues(shape, (inner) => prefault(inner, {})) as Defaults<S>;
}

export type Defaults<S extends Shape> = {
  readonly [Key in keyof S]: Definition<OutputOf<S[Key]>, InputOf<S[Key]> | undefined>;
};

function mapValues(shape: Shape, change: (inner: SettingSchema) => SettingSchema): Shape {
  return Object.fromEntries(Object.entries(shape).map(([key, inner]) => [key, change(inner)]));
}
