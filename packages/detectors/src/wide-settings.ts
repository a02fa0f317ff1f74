import { type DetectionSettings, detectionSchema, nearest, settingPaths } from '@loopwatch/contract';
import { assignPath } from './session-settings.ts';

/** Settings by dotted path, for each scope wider than a session: `server`, or `model:<backend>/<model>`. */
export type WideScopes = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** Of a process as a whole: they hold from its start to its end. */
const ofTheProcess = new Set([
  'session.max_sessions',
  'semantic.second_opinion',
  'semantic.max_concurrent',
  'semantic.per_minute',
  'semantic.per_session',
  'semantic.timeout_seconds',
]);
const modelPrefix = 'model:';

export interface WideSettings {
  readonly settings: DetectionSettings;
  /** Why scopes were left out, one text each: it names scope, key, value and what is allowed. */
  readonly refused: readonly string[];
}

/**
 * The configured settings with those of wider scopes over them: the server's first, then those of models. A scope with
 * something wrong in it is left out as a whole, the others hold.
 */
export function withScopes(configured: DetectionSettings, scopes: WideScopes): WideSettings {
  const refused: string[] = [];
  let settings = configured;
  for (const scope of [...scopes.keys()].sort(serverFirst)) {
    const result = withScope(settings, scope, scopes.get(scope) ?? {});
    if ('refused' in result) refused.push(`${scope}: ${result.refused}`);
    else settings = result.settings;
  }
  return { settings, refused };
}

/** @returns the settings with one scope's over them, or a text that says what is wrong with them */
export function withScope(
  base: DetectionSettings,
  scope: string,
  values: Readonly<Record<string, unknown>>,
): { settings: DetectionSettings } | { refused: string } {
  const model = scope.startsWith(modelPrefix) ? scope.slice(modelPrefix.length) : undefined;
  if (model === undefined ? scope !== 'server' : !/^[^/]+\/.+$/.test(model)) {
    return { refused: 'is no scope of many sessions; those are server and model:<backend>/<model>' };
  }
  const input = JSON.parse(JSON.stringify(base)) as Record<string, unknown>;
  const prefix = model === undefined ? [] : ['overrides', 'models', model];
  for (const [path, value] of Object.entries(values)) {
    const unknown = unknownPath(path);
    if (unknown !== undefined) return { refused: unknown };
    assignPath(input, [...prefix, ...path.split('.')], value);
  }
  const parsed = detectionSchema.safeParse(input);
  if (parsed.success) return { settings: parsed.data };
  const faults = parsed.error.issues.map(({ path, message }) => {
    const key = path.slice(prefix.length).join('.');
    return key in values ? `${key} = ${JSON.stringify(values[key])}: ${message}` : message;
  });
  return { refused: faults.join('; ') };
}

function unknownPath(path: string): string | undefined {
  if (ofTheProcess.has(path))
    return `${path} cannot change while a process runs: set it in its configuration`;
  const paths = settingPaths(detectionSchema).map(({ path: known }) => known);
  if (paths.includes(path) || path.startsWith('tool_call_loop.per_tool.') || path.startsWith('per_tool.'))
    return undefined;
  // The older names are keys of a model's block only, which the schema knows.
  if (path.startsWith('tool_loop_detection_')) return undefined;
  const meant = nearest(path, paths);
  return `${path} is no setting of detection${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}

function serverFirst(a: string, b: string): number {
  if ((a === 'server') !== (b === 'server')) return a === 'server' ? -1 : 1;
  return a < b ? -1 : 1;
}
