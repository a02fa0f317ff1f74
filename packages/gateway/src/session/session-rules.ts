import type { PureVerdict } from '@loopwatch/detectors';
import {
  type ChatCommand,
  type DetectionPlan,
  isStopped,
  refusalText,
  type SettingsVersion,
} from '@loopwatch/detectors/internal';
import type { EventBody, SessionDetection } from './session-detection.ts';
import type { Settings } from './session-settings.ts';

/** How a conversation takes part in changes of its settings. */
interface Conversation {
  /** Analyzes and publishes an event. */
  readonly push: (body: EventBody, now: number) => { readonly refused?: string };
  /** Reports verdicts on events that are not the conversation's to publish. */
  readonly report: (verdicts: readonly PureVerdict[]) => void;
  /** The user changed its settings in the chat. */
  readonly onChange: (own: Settings) => void;
}

/** What applies to a conversation: its settings, and which incidents people have dismissed. */
export class SessionRules {
  /** Whether the conversation has had settings of its own. */
  hasOwnSettings = false;
  readonly #detection: SessionDetection;
  readonly #conversation: Conversation;
  /** The latest settings made elsewhere for this session. */
  #external: Settings | undefined;
  /** Incidents that a person has muted or marked as false positives: they require nothing. */
  #dismissed: ReadonlySet<string> = new Set();

  constructor(detection: SessionDetection, conversation: Conversation) {
    this.#detection = detection;
    this.#conversation = conversation;
  }

  /** Server and model settings; the conversation's own settings are on top of them. */
  get version(): SettingsVersion {
    return this.#detection.version;
  }

  get plan(): DetectionPlan {
    return this.#detection.plan;
  }

  /** Whether a user has stopped this session or all sessions: no request goes to a model until it is resumed. */
  get isStopped(): boolean {
    return isStopped(this.version.settings, this.#external);
  }

  /** Applies another settings version from the next event on. */
  adopt(version: SettingsVersion, now: number): void {
    if (version === this.version) return;
    this.#detection.adopt(version);
    // Its own settings have to be applied again on top of these.
    if (!this.hasOwnSettings) return;
    const { verdicts } = this.#detection.push({ type: 'control', set: {}, unset: [] }, now);
    this.#conversation.report(verdicts);
  }

  /** Executes a user's command. @returns why it was rejected */
  run(command: ChatCommand, now: number): string | undefined {
    if ('refused' in command) return refusalText(command.refused);
    const { push, onChange } = this.#conversation;
    const { refused } = push({ type: 'control', set: { ...command.set }, unset: [...command.unset] }, now);
    if (refused !== undefined) return refused;
    this.hasOwnSettings = true;
    onChange(this.#detection.ownSettings);
    return undefined;
  }

  /** Replaces its own settings by those made elsewhere. @returns why they were rejected */
  applyOwn(settings: Settings, now: number): string | undefined {
    this.#external = settings;
    const applied = this.#detection.adoptOwn(settings, now);
    if (applied === undefined) return undefined;
    this.hasOwnSettings = true;
    this.#conversation.report(applied.verdicts);
    return applied.refused;
  }

  /** @param incidentIds all open incidents that a person has muted or marked as false positives */
  dismiss(incidentIds: readonly string[]): void {
    this.#dismissed = new Set(incidentIds);
  }

  get dismissed(): ReadonlySet<string> {
    return this.#dismissed;
  }

  /** The verdicts that require something. */
  demanding(verdicts: readonly PureVerdict[]): readonly PureVerdict[] {
    const dismissed = this.#dismissed;
    return dismissed.size === 0 ? verdicts : verdicts.filter(({ incidentId }) => !dismissed.has(incidentId));
  }
}
