import { storableJson, storableText } from '@loopwatch/contract';

/**
 * Serializes a value as JSON that jsonb accepts. Agents' texts may contain U+0000 or a lone surrogate, which JSON can express
 * but PostgreSQL cannot store; they are replaced by U+FFFD, the replacement character.
 */
export function jsonText(value: unknown): string {
  return storableJson(JSON.stringify(value));
}

/** Makes a statement's parameters what names are stored as, so that a lookup finds them. */
export function storableParameters(parameters: readonly unknown[]): unknown[] {
  return parameters.map((value: unknown) => {
    if (typeof value === 'string') return storableText(value);
    return Array.isArray(value) ? storableParameters(value) : value;
  });
}
