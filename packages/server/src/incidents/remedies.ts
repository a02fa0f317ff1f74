import type { DetectionSettings, Incident, ThresholdAdjustment } from '@loopwatch/contract';
import type { Remedy } from '@loopwatch/contract/api';
import { invalidSettings } from '../settings/check-settings.ts';
import { parseScope } from '../settings/scope.ts';

type Found = Pick<
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

/** Numbers of single tools, and what is declared of them. */
const NUMBERS = 'tool_call_loop.per_tool';
const DECLARED = 'per_tool';
const REPEATS = 'tool_call_loop.max_repeats';
const POLLER_FACTOR = 3;

/** What an adjustment does to the number that is set. */
const factors: Partial<Record<ThresholdAdjustment, number>> = {
  'declared-poller': POLLER_FACTOR,
  'looks-like-poller': POLLER_FACTOR,
  'under-way': POLLER_FACTOR,
  'same-form': 2,
  'short-answer': 2,
};

/** Those that can be set, each in the scopes that take it: a loop may have gone on for longer than any number allows. */
export function settable(remedies: readonly Remedy[], base: DetectionSettings): Remedy[] {
  return remedies.flatMap((remedy) => {
    const set = { [remedy.path]: remedy.value };
    const scopes = remedy.scopes.filter(
      (scope) => invalidSettings(base, parseScope(scope), set).length === 0,
    );
    return scopes.length === 0 ? [] : [{ ...remedy, scopes }];
  });
}

/**
 * The settings under which the incident would not have been found, the narrowest effect first; pure.
 *
 * @param held the value of a setting now, by its dotted path
 */
export function remediesOf(incident: Found, held: (path: string) => unknown): Remedy[] {
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
  const ofTool = setting === REPEATS || setting.startsWith(`${NUMBERS}.`);
  if (!ofTool || tool === null) {
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
    const byTool = (held(path) ?? {}) as Readonly<Record<string, object>>;
    return { path, value: { ...byTool, [name]: { ...byTool[name], ...more } } };
  };
  const waits = adjustments.some((one) => factors[one] === POLLER_FACTOR);
  return [
    ...(!waits && value * POLLER_FACTOR - 1 > count
      ? [
          {
            ...withTool(DECLARED, { poller: true }),
            text: `Treat ${name} as a poller: three times as many calls`,
            scopes,
          },
        ]
      : []),
    {
      ...withTool(NUMBERS, { max_repeats: number }),
      text: `Allow ${String(number)} in place of ${String(value)} identical calls of ${name}`,
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

/** The number that makes a threshold above the count, whichever of the adjustments comes first. */
function above(count: number, adjustments: readonly ThresholdAdjustment[]): number {
  const factor = adjustments.reduce((product, one) => product * (factors[one] ?? 1), 1);
  const less = adjustments.filter((one) => factors[one] === undefined).length;
  return Math.max(Math.ceil((count + 1 + less) / factor), Math.ceil((count + 1) / factor) + less);
}

/** A wider scope than the one that set the number would change nothing. */
function scopesOf({ thresholdOrigin: origin, backend, model, sessionId }: Found): string[] {
  const session = `session:${sessionId}`;
  const ofModel = backend === null || model === null ? [] : [`model:${backend}/${model}`];
  if (origin?.scope === 'session') return [session];
  if (origin?.scope === 'model' && ofModel.length > 0) return [...ofModel, session];
  return ['server', ...ofModel, session];
}
