import {
  type AgentEvent,
  analyzedByHeader,
  type Control,
  mitigationBy,
  settingsByHeader,
  settingsFromHeader,
  type TopicNames,
  type Verdict,
} from '@loopwatch/contract';
import type { PureVerdict } from '@loopwatch/detectors';
import {
  type LogLine,
  type TurnRequest,
  turnRequestLines,
  verdictLines,
} from '@loopwatch/detectors/internal';
import type { OutputRecord } from '@loopwatch/log';
import type { Logger } from 'pino';
import type { GatewayMetrics } from '../metrics.ts';
import type { SessionObserver } from '../session/session-detection.ts';
import type { Settings } from '../session/session-settings.ts';
import type { Outbox } from './outbox.ts';

/** Chances whose outcome is tracked. */
const MAX_CHANCES = 10_000;

export interface SessionReporterOptions {
  readonly metrics: GatewayMetrics;
  readonly logger: Logger;
  /** Undefined if nothing is published. */
  readonly outbox: Outbox | undefined;
  readonly topics: TopicNames;
  /** Marks settings records of this gateway, which it ignores when it reads them. */
  readonly gatewayId: string;
  /** Called when a user changes a session's settings in the chat. */
  readonly onSettings: (sessionId: string, own: Settings) => void;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
}

/** Reports what happens in sessions: to metrics, log lines and the event log. */
export class SessionReporter implements SessionObserver {
  readonly #options: SessionReporterOptions;
  readonly #chances = new Set<string>();

  constructor(options: SessionReporterOptions) {
    this.#options = options;
  }

  onEvent(event: AgentEvent, verdicts: readonly PureVerdict[]): void {
    const { metrics, outbox, topics } = this.#options;
    if (event.type === 'tool_call_request') metrics.toolCalls.inc();
    if (event.type === 'turn_finished' && event.usage != null) {
      const { model = null, backend = null, usage } = event;
      metrics.client.observeUsage({ model, backend }, usage);
    }
    this.#countAndLog(verdicts);
    const key = event.sessionId ?? '';
    const record = { topic: topics.events, key, value: JSON.stringify(event), headers: judgedHeaders };
    outbox?.add([record, ...this.#records(key, verdicts)]);
  }

  onVerdicts(sessionId: string, verdicts: readonly PureVerdict[]): void {
    this.#countAndLog(verdicts);
    this.#options.outbox?.add(this.#records(sessionId, verdicts));
  }

  onSettingsChanged(sessionId: string, own: Settings): void {
    const { outbox, topics, gatewayId, onSettings } = this.#options;
    onSettings(sessionId, own);
    const scope = `session:${sessionId}`;
    const control: Control = { v: 1, scope, set: { ...own }, unset: [] };
    const isEmpty = Object.keys(own).length === 0;
    const value = isEmpty ? null : JSON.stringify(control);
    const headers = { [settingsByHeader]: Buffer.from('chat'), [settingsFromHeader]: Buffer.from(gatewayId) };
    outbox?.add([{ topic: topics.control, key: scope, value, headers }]);
  }

  onTurnRequest(sessionId: string, request: TurnRequest): void {
    writeLines(this.#options.logger, turnRequestLines(sessionId, request));
  }

  onFault(sessionId: string, error: unknown): void {
    const { metrics, logger } = this.#options;
    metrics.faults.inc();
    logger.error(
      { err: error, sessionId },
      'Detection failed on an event; the request passed and its session was reset. This is a bug: please report it.',
    );
  }

  #count(verdict: PureVerdict): void {
    const { metrics } = this.#options;
    const { incidentId, detector, phase, action } = verdict;
    metrics.verdicts.inc({ detector, phase, action });
    if (action === 'warn' || action === 'chance') metrics.warnings.inc();
    if (action === 'block') metrics.blocks.inc();
    const hadChance = this.#chances.delete(incidentId);
    const mitigation = mitigationBy(hadChance ? 'chance' : undefined, verdict);
    if (mitigation !== undefined) metrics.mitigations.inc({ outcome: mitigation });
    if (action === 'chance') this.#chances.add(incidentId);
    const [oldest] = this.#chances;
    if (this.#chances.size > MAX_CHANCES && oldest !== undefined) this.#chances.delete(oldest);
  }

  #countAndLog(verdicts: readonly PureVerdict[]): void {
    for (const verdict of verdicts) {
      this.#count(verdict);
      writeLines(this.#options.logger, verdictLines(verdict, true));
    }
  }

  #records(key: string, verdicts: readonly PureVerdict[]): OutputRecord[] {
    const { topics, now } = this.#options;
    return verdicts.map((found) => {
      const verdict: Omit<Verdict, 'source'> = { ...found, detectedAt: now() };
      return { topic: topics.verdicts, key, value: JSON.stringify(verdict) };
    });
  }
}

/** Tells workers that the event was judged, and its verdicts are published. */
const judgedHeaders = { [analyzedByHeader]: Buffer.from('gateway') };

function writeLines(logger: Logger, lines: readonly LogLine[]): void {
  for (const { level, message, fields } of lines) logger[level](fields, message);
}
