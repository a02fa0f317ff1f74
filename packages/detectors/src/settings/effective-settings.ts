import type { DetectionSettings, ModelSettings } from '@loopwatch/contract';
import { applyControl, type SessionOverrides, soundOverrides } from './session-settings.ts';

/** The properties of a session that decide its settings. */
export interface SessionScope {
  readonly backend: string | null;
  readonly model: string | null;
  /** Its own settings, by dotted path. */
  readonly overrides?: SessionOverrides;
}

/**
 * The effective settings of a session: its own override those of its backend and model, which override the server's,
 * key by key. A model's settings apply once both labels are known.
 */
export function effectiveSettings(
  server: DetectionSettings,
  models: Readonly<Record<string, ModelSettings>>,
  session: SessionScope,
): DetectionSettings {
  const name = modelName(session);
  const own = name !== null && Object.hasOwn(models, name) ? models[name] : undefined;
  const base = own === undefined ? server : withModel(server, own);
  const result = applyControl(base, soundOverrides(base, session.overrides ?? {}), {});
  return 'refused' in result ? base : result.settings;
}

/** The name of a session's model in `overrides.models`. */
export function modelName({ backend, model }: Pick<SessionScope, 'backend' | 'model'>): string | null {
  return backend === null || model === null ? null : `${backend}/${model}`;
}

/** The server's settings, overridden by those of a model. */
export function withModel(server: DetectionSettings, own: ModelSettings): DetectionSettings {
  const {
    tool_loop_detection_enabled: enabled,
    tool_loop_detection_max_repeats: maxRepeats,
    tool_loop_detection_ttl_seconds: ttlSeconds,
    tool_loop_detection_mode: mode,
    ...settings
  } = own;
  const older = { enabled, max_repeats: maxRepeats, ttl_seconds: ttlSeconds, mode };
  return mergeBlocks(mergeBlocks(server, { tool_call_loop: older }), settings) as DetectionSettings;
}

/** Merges blocks key by key; lists and values replace existing ones. */
function mergeBlocks(base: unknown, own: unknown): unknown {
  if (own === undefined) return base;
  if (!isBlock(base) || !isBlock(own)) return own;
  const keys = new Set([...Object.keys(base), ...Object.keys(own)]);
  // A tool may be named `__proto__`.
  return Object.fromEntries(
    [...keys].map((key) => [key, mergeBlocks(valueOf(base, key), valueOf(own, key))]),
  );
}

function valueOf(block: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(block, key) ? block[key] : undefined;
}

function isBlock(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
