import * as z from 'zod/mini';
import type * as core from 'zod/v4/core';
import type {
  BlockDefinition,
  BlockInput,
  BlockOutput,
  Bounds,
  Definition,
  InputOf,
  Limits,
  OutputOf,
  Shape,
} from './definition.ts';
import { type SettingSchema, schemaDef } from './setting-paths.ts';

/** zod's schemas of definitions. */

/** The schema of a setting whose key may be absent, by which zod tells that its key may be. */
type Prefault<D> = z.ZodMiniPrefault<z.ZodMiniType<OutputOf<D>, Exclude<InputOf<D>, undefined>>>;

/** Each key's schema. */
export type SchemaShape<S extends Shape> = { readonly [Key in keyof S]: Prefault<S[Key]> };

/** The schema that accepts what a definition allows, with the same words for what it does not allow. */
export function schemaOf<Output, Input>(definition: Definition<Output, Input>): z.ZodMiniType<Output, Input> {
  return build(definition) as z.ZodMiniType<Output, Input>;
}

/** The same for a block of which every key has a default, with the schemas of its keys. */
export function schemaOfBlock<S extends Shape>(
  definition: BlockDefinition<S>,
): z.ZodMiniType<BlockOutput<S>, BlockInput<S>> & { readonly shape: SchemaShape<S> } {
  return build(definition) as ReturnType<typeof schemaOfBlock<S>>;
}

function build(definition: SettingSchema): z.ZodMiniType {
  const def: core.$ZodTypes['_zod']['def'] & Limits = schemaDef(definition);
  switch (def.type) {
    case 'optional':
      return z.optional(build(def.innerType));
    case 'nullable':
      return z.nullable(build(def.innerType));
    case 'prefault':
      return z.prefault(build(def.innerType), def.defaultValue);
    case 'boolean':
      return z.boolean();
    case 'number':
      return numberSchema(def.bounds ?? {});
    case 'string':
      return withLimits(z.string(), def);
    case 'enum':
      return withChecks(z.enum(def.entries), spellingOf(def));
    case 'array':
      return withLimits(z.array(build(def.element)), def);
    case 'object': {
      const shape = Object.fromEntries(Object.entries(def.shape).map(([key, value]) => [key, build(value)]));
      const schema =
        def.catchall === undefined ? z.strictObject(shape) : z.catchall(z.object(shape), build(def.catchall));
      return withLimits(schema, def);
    }
    default:
      throw new TypeError(`A setting cannot be defined as ${def.type}`);
  }
}

function numberSchema({ isWhole, min, above, max }: Bounds): z.ZodMiniType {
  const checks = [
    above === undefined ? undefined : z.gt(above),
    min === undefined ? undefined : z.minimum(min),
    max === undefined ? undefined : z.maximum(max),
  ];
  return (isWhole === true ? z.int() : z.number()).check(...checks.filter((check) => check !== undefined));
}

function spellingOf({ spelling }: Limits): core.$ZodCheck<core.util.EnumValue>[] {
  return spelling === undefined ? [] : [z.overwrite((word) => spelling(word as never))];
}

/** A schema with the limits of its definition. */
function withLimits<T>(schema: z.ZodMiniType<T>, { maxLength, rules = [] }: Limits): z.ZodMiniType {
  const checks = rules.map((rule) =>
    z.check<T>(({ value: input, issues }) => {
      rule(input as never, (message, path = []) =>
        issues.push({ code: 'custom', message, path, input, continue: true }),
      );
    }),
  );
  const limit = maxLength === undefined ? [] : [z.maxLength(maxLength) as core.$ZodCheck<T>];
  return withChecks(schema, [...limit, ...checks]);
}

/** The schema itself if there are none: with an empty list of checks it would be a copy. */
function withChecks<T>(schema: z.ZodMiniType<T>, checks: core.$ZodCheck<T>[]): z.ZodMiniType {
  return checks.length === 0 ? schema : schema.check(...checks);
}
