import { type DetectionSettings, detectionSchema, modelSettingsSchema } from '@loopwatch/contract';
import { choiceFrom, findSetting } from '@loopwatch/contract/internal';
import { applyControl, refusalText, withScope } from '@loopwatch/detectors/internal';
import { HttpProblem } from '../http/problem.ts';
import type { Scope } from './scope.ts';

/**
 * Validates settings as detection does.
 *
 * @param base the configured settings
 * @throws HttpProblem 400 that names each bad key or value and says what is allowed
 */
export function checkSettings(
  base: DetectionSettings,
  scope: Scope,
  set: Readonly<Record<string, unknown>>,
): void {
  const errors = invalidSettings(base, scope, set);
  if (errors.length === 0) {
    // Each is valid on its own, but together they may be contradictory.
    const detail = refusal(base, scope, set);
    if (detail !== undefined) errors.push({ path: '', detail });
  }
  if (errors.length > 0) {
    throw new HttpProblem(400, errors.map(({ detail }) => detail).join('; '), { errors });
  }
}

/** The settings, with words such as `CHANCE` as the schema spells them. */
export function asSpelled({ kind }: Scope, set: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const schema = kind === 'model' ? modelSettingsSchema : detectionSchema;
  const spelled = (path: string, value: unknown): unknown => {
    const setting = findSetting(schema, path)?.schema;
    return setting !== undefined && typeof value === 'string' ? choiceFrom(value, setting) : value;
  };
  return Object.fromEntries(Object.entries(set).map(([path, value]) => [path, spelled(path, value)]));
}

/** The invalid settings of a scope. */
export function invalidSettings(
  base: DetectionSettings,
  scope: Scope,
  set: Readonly<Record<string, unknown>>,
): { path: string; detail: string }[] {
  return Object.entries(set).flatMap(([path, value]) => {
    const detail = refusal(base, scope, { [path]: value });
    return detail === undefined ? [] : [{ path, detail }];
  });
}

function refusal(
  base: DetectionSettings,
  scope: Scope,
  set: Readonly<Record<string, unknown>>,
): string | undefined {
  if (scope.kind === 'session') {
    const result = applyControl(base, {}, { set });
    return 'refused' in result ? refusalText(result.refused) : undefined;
  }
  const result = withScope(base, scope.text, set);
  return 'refused' in result ? result.refused : undefined;
}
