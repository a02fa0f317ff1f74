import { z } from 'zod';

/** Describes the allowed values of a setting in words, for error messages and the reference. */

/** The part of JSON Schema that the settings' schemas use. */
interface JsonSchema {
  readonly type?: string;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  /** Pattern of a URL's scheme; our own addition to JSON Schema. */
  readonly scheme?: string;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | false;
}

/** What `schema` accepts, as the end of a sentence: `a whole number from 2 to 64`. */
export function allowedValues(schema: z.ZodType): string {
  return words(
    z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', override: noteScheme }) as JsonSchema,
  );
}

function noteScheme({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: object }): void {
  if (zodSchema instanceof z.ZodURL)
    Object.assign(jsonSchema, { scheme: zodSchema._zod.def.protocol?.source });
}

function words(schema: JsonSchema): string {
  if (schema.oneOf !== undefined) return schema.oneOf.map(words).join(', or ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(words).join(', or ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return `one of ${schema.enum.map(String).join(', ')}`;
  switch (schema.type) {
    case 'null':
      return 'null';
    case 'boolean':
      return 'true or false';
    case 'integer':
      return `a whole number${range(schema)}`;
    case 'number':
      return `a number${range(schema)}`;
    case 'string':
      return text(schema);
    case 'array':
      return schema.items === undefined ? 'a list' : `a list, each entry ${words(schema.items)}`;
    case 'object':
      return block(schema);
    default:
      return 'any value';
  }
}

function range({ minimum, maximum, exclusiveMinimum }: JsonSchema): string {
  // An unbounded integer has the bounds of safe integers in JSON Schema; they are not worth mentioning.
  const above = exclusiveMinimum === undefined ? undefined : ` above ${exclusiveMinimum}`;
  const from = minimum === undefined || minimum <= Number.MIN_SAFE_INTEGER ? undefined : minimum;
  const to = maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? undefined : maximum;
  if (above !== undefined) return to === undefined ? above : `${above}, at most ${to}`;
  if (from !== undefined) return to === undefined ? ` of at least ${from}` : ` from ${from} to ${to}`;
  return to === undefined ? '' : ` of at most ${to}`;
}

function text({ pattern, minLength = 0, format, scheme }: JsonSchema): string {
  if (format === 'uri') return scheme === undefined ? 'a URL' : `a URL whose scheme matches ${scheme}`;
  if (pattern !== undefined) return `text that matches ${pattern}`;
  return minLength > 0 ? 'text that is not empty' : 'text';
}

function block({ properties, additionalProperties }: JsonSchema): string {
  const map =
    typeof additionalProperties === 'object' ? `a map of names to ${words(additionalProperties)}` : undefined;
  if (properties === undefined) return map ?? 'a block';
  const keys = `a block with the keys ${Object.keys(properties).join(', ')}`;
  return map === undefined ? keys : `${keys}, and ${map}`;
}
