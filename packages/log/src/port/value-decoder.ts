/** The first byte of a value that names its schema. JSON text never begins with it. */
const MAGIC = 0;
/** The magic byte, and the id of the schema as 4 bytes, most significant first. */
export const SCHEMA_ID_BYTES = 5;

/** A value as JSON text, or why it cannot be decoded, as a message for people. */
export type DecodedValue = { readonly json: string } | { readonly fault: string };

/** Decodes values that name their schema in a schema registry. */
export interface ValueDecoder {
  /**
   * @param value one that {@link namesSchema}
   * @throws LogError `registry_unavailable` when the schema cannot be had at present
   */
  decode(value: Buffer): Promise<DecodedValue>;
}

/** Whether a value begins as serializers for a schema registry write it. */
export function namesSchema(value: Buffer | null): value is Buffer {
  return value !== null && value[0] === MAGIC && value.length >= SCHEMA_ID_BYTES;
}
