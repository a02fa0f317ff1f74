import type { DetectionSettings, Incident, ThresholdAdjustment } from '@loopwatch/contract';
import type { Remedy } from '@loopwatch/contract/api';
import { invalidSettings } from '../settings/check-settings.ts';
import { parseScope } from '../settings/scope.ts';

type RemedyIncident = Pick<
  Incident,
  | 'detector'
  | 'count'
  | 'confidence'
  | 'threshold'
  | 'thresholdOrigin'
  | 'tool'
  | 'backend'
  | 'model'
  | 'sessionId'
>;

/** Thresholds per tool, and declared properties per tool. */
const TOOL_THRESHOLDS = 'tool_call_loop.per_tool';
const TOOL_PROPERTIES = 'per_tool';
const REPEATS = 'tool_call_loop.max_repeats';
const POLLER_FACTOR = 3;

/** The factor by which an adjustment raises the configured threshold. */
const factors: Partial<Record<ThresholdAdjustment, number>> = {
  'declared-poller': POLLER_FACTOR,
  'looks-like-poller': POLLER_FACTOR,
  'under-way': POLLER_FACTOR,
  'any-results': 10,
  'same-form': 2,
  'short-answer': 2,
  navigation: 3,
};

/** By how much an adjustment lowers it. */
const steps: Partial<Record<ThresholdAdjustment, number>> = {
  'same-result': 1,
  reworded: 1,
  'alike-results': -1,
};

/** The remedies whose values are valid, with the scopes that accept them: a count may exceed the allowed maximum. */
export function settableRemedies(remedies: readonly Remedy[], base: DetectionSettings): Remedy[] {
  return remedies.flatMap((remedy) => {
    const set = { [remedy.path]: remedy.value };
    const scopes = remedy.scopes.filter(
      (scope) => invalidSettings(base, parseScope(scope), set).length === 0,
    );
    return scopes.length === 0 ? [] : [{ ...remedy, scopes }];
  });
}

/**
 * The settings under which the incident would not have been reported, the narrowest first; pure.
 *
 * @param valueOf the effective value of a setting, by its dotted path
 */
export function remediesOf(incident: RemedyIncident, valueOf: (path: string) => unknown): Remedy[] {
  const { thresholdOrigin: origin, tool, detector, count, confidence } = incident;
  if (origin === undefined) return [];
  const { setting, value, adjustments } = origin;
  const scopes = scopesOf(incident);
  if (detector === 'semantic') {
    const above = Math.min(1, (Math.floor(confidence * 100) + 1) / 100);
    if (above <= value || confidence >= 1) return [];
    return [{ path: setting, value: above, text: `Require a confidence above ${String(above)}`, scopes }];
  }
  const needed = detector === 'budget' ? Math.ceil((value * (count + 1)) / 100) : above(count, adjustments);
  const number = Math.max(needed, value + 1);
  const isPerTool = setting === REPEATS || setting.startsWith(`${TOOL_THRESHOLDS}.`);
  if (!isPerTool || tool === null) {
    return [
      {
        path: setting,
        value: number,
        text: `Raise ${setting} from ${String(value)} to ${String(number)}`,
        scopes,
      },
    ];
  }
  const { name } = tool;
  const withTool = (path: string, more: object) => {
    const byTool = (valueOf(path) ?? {}) as Readonly<Record<string, object>>;
    return { path, value: { ...byTool, [name]: { ...byTool[name], ...more } } };
  };
  const isPoller = adjustments.some((one) => factors[one] === POLLER_FACTOR);
  return [
    ...(!isPoller && value * POLLER_FACTOR - 1 > count
      ? [
          {
            ...withTool(TOOL_PROPERTIES, { poller: true }),
            text: `Treat ${name} as a poller: allow three times as many calls`,
            scopes,
          },
        ]
      : []),
    {
      ...withTool(TOOL_THRESHOLDS, { max_repeats: number }),
      text: `Allow ${String(number)} instead of ${String(value)} identical calls of ${name}`,
      scopes,
    },
    ...(setting === REPEATS
      ? [
          {
            path: REPEATS,
            value: number,
            text: `Raise ${REPEATS} from ${String(value)} to ${String(number)} for all tools`,
            scopes,
          },
        ]
      : []),
  ];
}

/** The smallest threshold that the count does not reach, regardless of the order of the adjustments. */
function above(count: number, adjustments: readonly ThresholdAdjustment[]): number {
  const factor = adjustments.reduce((product, one) => product * (factors[one] ?? 1), 1);
  const less = adjustments.reduce((sum, one) => sum + (steps[one] ?? 0), 0);
  return Math.max(Math.ceil((count + 1 + less) / factor), Math.ceil((count + 1) / factor) + less);
}

/** A scope wider than the one that set the threshold would have no effect. */
function scopesOf({ thresholdOrigin: origin, backend, model, sessionId }: RemedyIncident): string[] {
  const session = `session:${sessionId}`;
  const ofModel = backend === null || model === null ? [] : [`model:${backend}/${model}`];
  if (origin?.scope === 'session') return [session];
  if (origin?.scope === 'model' && ofModel.length > 0) return [...ofModel, session];
  return ['server', ...ofModel, session];
}
