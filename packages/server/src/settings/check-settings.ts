import type { DetectionSettings } from '@loopwatch/contract';
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
