import { type Control, controlSchema, type DetectionSettings, readJson } from '@loopwatch/contract';
import { detectionDefinition, parseSettings } from '@loopwatch/contract/internal';
import { sha256 } from '../lib/digest.ts';
import { oneLine } from '../lib/one-line.ts';
import { leftOutText, withScope, withScopes } from '../settings/wide-settings.ts';
import type { Detection } from './detection.ts';

const sessionPrefix = 'session:';

/** A record of the `control` topic; its key is the scope. */
export interface ControlRecord {
  readonly key: string | { toString(): string } | null;
  /** `null` removes the scope's settings. */
  readonly text: string | null;
  readonly offset: number;
}

/** Detection settings, identified by the hash of their content. */
export interface SettingsVersion {
  readonly hash: string;
  readonly settings: DetectionSettings;
  readonly detection: Detection;
}

export interface LiveSettingsDeps {
  /** File, environment and flags of this process. */
  readonly configured: DetectionSettings;
  readonly prepare: (settings: DetectionSettings) => Detection;
  readonly log: (level: 'info' | 'warn', message: string, fields: object) => void;
  /**
   * Called with the current settings of a session's scope, in processes that act on it; others receive them in the
   * session's own stream.
   */
  readonly onSession?: (sessionId: string, set: Control['set']) => void;
}

/** The configured settings, overridden by those of the `control` topic as they arrive. */
export class LiveSettings {
  /** The settings in effect; replaced by {@link apply}. */
  current: SettingsVersion;
  readonly #deps: LiveSettingsDeps;
  readonly #scopes = new Map<string, Readonly<Record<string, unknown>>>();
  readonly #versions = new Map<string, SettingsVersion>();
  /** Saves hashing the same settings again for each stored session. */
  readonly #versionsOfObjects = new WeakMap<DetectionSettings, SettingsVersion>();

  constructor(deps: LiveSettingsDeps) {
    this.#deps = deps;
    this.current = this.versionOf(deps.configured);
  }

  /** Returns the same version for equal settings, so that partitions share the prepared detection. */
  versionOf(settings: DetectionSettings): SettingsVersion {
    const version = this.#versionsOfObjects.get(settings) ?? this.#versionOfContent(settings);
    this.#versionsOfObjects.set(settings, version);
    return version;
  }

  #versionOfContent(settings: DetectionSettings): SettingsVersion {
    const hash = sha256(JSON.stringify(settings), 16);
    const known = this.#versions.get(hash);
    if (known !== undefined) return known;
    const version = { hash, settings, detection: this.#deps.prepare(settings) };
    this.#versions.set(hash, version);
    return version;
  }

  /** Applies records of the `control` topic: each replaces its scope's settings; one without a value removes them. */
  apply(records: readonly ControlRecord[]): void {
    for (const record of records) this.#applyRecord(record);
    const { settings } = withScopes(this.#deps.configured, this.#scopes);
    const version = this.versionOf(settings);
    if (version === this.current) return;
    this.current = version;
    const { configHash } = version.detection.plan;
    this.#deps.log(
      'info',
      `Settings of ${[...this.#scopes.keys()].join(', ') || 'no scope'} now override the configuration`,
      { scopes: [...this.#scopes.keys()], configHash },
    );
  }

  #applyRecord({ key, text, offset }: ControlRecord): void {
    const scope = key?.toString() ?? '';
    const isSession = scope.startsWith(sessionPrefix);
    if (isSession && this.#deps.onSession === undefined) return;
    if (text === null) {
      this.#scopes.delete(scope);
      if (isSession) this.#deps.onSession?.(scope.slice(sessionPrefix.length), {});
      return;
    }
    const control = readJson(text, controlSchema);
    if (!control.ok) {
      this.#refuse(scope, offset, control.why);
      return;
    }
    const fault = faultIn(control.value, scope, isSession);
    if (fault !== undefined) this.#refuse(scope, offset, fault);
    else if (isSession) this.#deps.onSession?.(scope.slice(sessionPrefix.length), control.value.set);
    else {
      this.#scopes.set(scope, control.value.set);
      this.#logIgnored(scope, offset, control.value.set);
    }
  }

  #logIgnored(scope: string, offset: number, set: Control['set']): void {
    const text = leftOutText(this.#deps.configured, scope, set);
    if (text !== undefined) this.#deps.log('warn', oneLine(text), { scope, offset });
  }

  #refuse(scope: string, offset: number, why: string): void {
    this.#deps.log(
      'warn',
      oneLine(
        `Settings of ${scope || 'a record without a key'} were rejected; keeping the previous settings: ${why}`,
      ),
      { scope, offset },
    );
  }
}

/** Why a record as a whole is not valid; undefined if it is. */
function faultIn(control: Control, scope: string, isSession: boolean): string | undefined {
  if (control.scope !== scope) return `its scope is ${control.scope}`;
  // A session rejects invalid settings itself.
  if (isSession) return undefined;
  const result = withScope(parseSettings(detectionDefinition, {}), scope, {});
  return 'refused' in result ? result.refused : undefined;
}
