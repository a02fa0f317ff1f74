import { type ScopeKind, type SettingKey, scopeKinds } from '@loopwatch/contract/api';
import {
  allowedValues,
  detectionDefinition,
  parseSettings,
  type SettingPath,
  type SettingSchema,
  schemaOf,
  settingPaths,
  settingText,
} from '@loopwatch/contract/internal';
import { applyControl, withScope } from '@loopwatch/detectors/internal';
import * as z from 'zod';

const base = parseSettings(detectionDefinition, {});
const unknownKey = /is no setting|belongs to the process/;

let known: readonly SettingKey[] | undefined;

/** Every detection setting in schema order, including those that can only be set at startup. */
export const detectionPaths: readonly string[] = settingPaths(detectionDefinition).map(({ path }) => path);

/** Every detection setting that can be changed while workers run. Found out once asked for, because every start would wait. */
export function settingKeys(): readonly SettingKey[] {
  known ??= settingPaths(detectionDefinition)
    .map(toKey)
    .filter(({ scopes }) => scopes.length > 0);
  return known;
}

function toKey({ path, schema }: SettingPath): SettingKey {
  const parts = partsOf(schema);
  const value = parts.find((part) => part['type'] !== 'null') ?? {};
  const choices = (value['enum'] as string[] | undefined) ?? null;
  return {
    path,
    type: typeOf(value, choices),
    choices,
    min: bound(value['minimum'] ?? value['exclusiveMinimum']),
    max: bound(value['maximum']),
    nullable: parts.some((part) => part['type'] === 'null'),
    allowed: allowedValues(schema),
    description: settingText(path),
    scopes: scopeKinds.filter((kind) => isSettable(path, kind)),
  };
}

function partsOf(schema: SettingSchema): Record<string, unknown>[] {
  const json = z.toJSONSchema(schemaOf(schema), { io: 'input', unrepresentable: 'any' }) as Record<
    string,
    unknown
  >;
  const { anyOf } = json;
  return Array.isArray(anyOf) ? (anyOf as Record<string, unknown>[]) : [json];
}

function typeOf({ type }: Record<string, unknown>, choices: string[] | null): SettingKey['type'] {
  if (choices !== null) return 'choice';
  switch (type) {
    case 'boolean':
    case 'integer':
    case 'number':
      return type;
    case 'array':
      return 'list';
    case 'object':
      return 'map';
    default:
      return 'text';
  }
}

/** The bounds of safe integers are implied by the schema, not by the setting. */
function bound(value: unknown): number | null {
  return typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : null;
}

/** Tries to set the key with an invalid value: detection rejects an unsupported key before it checks the value. */
function isSettable(path: string, kind: ScopeKind): boolean {
  const set = { [path]: Symbol.for('no value') };
  if (kind === 'session') {
    const result = applyControl(base, {}, { set });
    return !('refused' in result) || !('path' in result.refused);
  }
  const result = withScope(base, kind === 'server' ? 'server' : 'model:a/b', set);
  return !('refused' in result) || !unknownKey.test(result.refused);
}
