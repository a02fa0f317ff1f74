import avro from 'avsc';
import { type Decode, integer } from './decode.ts';

const longType = avro.types.LongType.__with({
  fromBuffer: (bytes: Buffer) => integer(bytes.readBigInt64LE()),
  toBuffer: (value: number | string) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(value));
    return bytes;
  },
  fromJSON: (value: unknown) => value,
  toJSON: (value: unknown) => value,
  isValid: (value: unknown) => Number.isInteger(value) || typeof value === 'string',
  compare: (a: number | string, b: number | string) => Number(BigInt(a) - BigInt(b)),
});

/** @param schemas in an order in which each one comes after those that it refers to @throws Error when one is invalid */
export function avroDecoder(schemas: readonly string[]): Decode {
  const registry: Record<string, avro.Type> = { long: longType };
  const types = schemas.map((schema) =>
    // Wrapped, a union may have any branches; `plain` unwraps its values.
    avro.Type.forSchema(schemaOf(schema), { registry, wrapUnions: 'always' }),
  );
  const type = types.at(-1);
  if (type === undefined) throw new Error('there is no schema');
  return (payload) => plain(type.fromBuffer(payload));
}

/** A schema may be the bare name of a type. */
function schemaOf(text: string): avro.Schema {
  return (/^\s*["[{]/.test(text) ? JSON.parse(text) : text) as avro.Schema;
}

/** Bytes as base64, unions as the value alone. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Buffer.isBuffer(value)) return value.toString('base64');
  if (Array.isArray(value)) return value.map(plain);
  if (isWrapped(value)) return plain(value.unwrap());
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plain(part)]));
}

/** Decoded values hold no functions of their own. */
function isWrapped(value: object): value is { unwrap(): unknown } {
  return 'unwrap' in value && typeof value.unwrap === 'function';
}
