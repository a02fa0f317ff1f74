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
import {
  type LogLine,
  type PureVerdict,
  type TurnRequest,
  turnRequestLines,
  verdictLines,
} from '@loopwatch/detectors';
import type { OutputRecord } from '@loopwatch/log';
import type { Logger } from 'pino';
import type { GatewayMetrics } from './metrics.ts';
import type { Outbox } from './outbox.ts';
import type { SessionObserver } from './session/session-observer.ts';
import type { Settings } from './session/session-settings.ts';

/** Chances whose outcome is not known yet, at most. */
const MAX_CHANCES = 10_000;

export interface SessionWatchOptions {
  readonly metrics: GatewayMetrics;
  readonly logger: Logger;
  /** Undefined: nothing is written to the event log. */
  readonly outbox: Outbox | undefined;
  readonly topics: TopicNames;
  /** This gateway, to know its own records of settings again. */
  readonly me: string;
  /** Told what a user set for a session in the chat. */
  readonly onSettings: (sessionId: string, own: Settings) => void;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
}

/** Tells of what sessions see: to the metrics, to the log, and to the event log. */
export class SessionWatch implements SessionObserver {
  private readonly options: SessionWatchOptions;
  private readonly chances = new Set<string>();

  constructor(options: SessionWatchOptions) {
    this.options = options;
  }

  seen(event: AgentEvent, verdicts: readonly PureVerdict[]): void {
    const { metrics, outbox, topics } = this.options;
    if (event.type === 'tool_call_request') metrics.toolCalls.inc();
    this.tell(verdicts);
    const key = event.sessionId ?? '';
    const own = { topic: topics.events, key, value: JSON.stringify(event), headers: judgedHeaders };
    outbox?.add([own, ...this.records(key, verdicts)]);
  }

  concluded(sessionId: string, verdicts: readonly PureVerdict[]): void {
    this.tell(verdicts);
    this.options.outbox?.add(this.records(sessionId, verdicts));
  }

  settingsChanged(sessionId: string, own: Settings): void {
    const { outbox, topics, me, onSettings } = this.options;
    onSettings(sessionId, own);
    const scope = `session:${sessionId}`;
    const control: Control = { v: 1, scope, set: { ...own }, unset: [] };
    const isEmpty = Object.keys(own).length === 0;
    const value = isEmpty ? null : JSON.stringify(control);
    const headers = { [settingsByHeader]: Buffer.from('chat'), [settingsFromHeader]: Buffer.from(me) };
    outbox?.add([{ topic: topics.control, key: scope, value, headers }]);
  }

  turnRequest(sessionId: string, request: TurnRequest): void {
    writeLines(this.options.logger, turnRequestLines(sessionId, request));
  }

  fault(sessionId: string, error: unknown): void {
    const { metrics, logger } = this.options;
    metrics.faults.inc();
    logger.error(
      { err: error, sessionId },
      'Detection failed on an event; the request passes, and its session was reset. This is a bug: please report it.',
    );
  }

  private count(verdict: PureVerdict): void {
    const { metrics } = this.options;
    const { incidentId, detector, phase, action } = verdict;
    metrics.verdicts.inc({ detector, phase, action });
    if (action === 'warn' || action === 'chance') metrics.warnings.inc();
    if (action === 'block') metrics.blocks.inc();
    const hadChance = this.chances.delete(incidentId);
    const mitigation = mitigationBy(hadChance ? 'chance' : undefined, verdict);
    if (mitigation !== undefined) metrics.mitigations.inc({ outcome: mitigation });
    if (action === 'chance') this.chances.add(incidentId);
    const [oldest] = this.chances;
    if (this.chances.size > MAX_CHANCES && oldest !== undefined) this.chances.delete(oldest);
  }

  private tell(verdicts: readonly PureVerdict[]): void {
    for (const verdict of verdicts) {
      this.count(verdict);
      writeLines(this.options.logger, verdictLines(verdict));
    }
  }

  private records(key: string, verdicts: readonly PureVerdict[]): OutputRecord[] {
    const { topics, now } = this.options;
    return verdicts.map((found) => {
      const verdict: Omit<Verdict, 'source'> = { ...found, detectedAt: now() };
      return { topic: topics.verdicts, key, value: JSON.stringify(verdict) };
    });
  }
}

/** Says that the event was judged where it came about, and that its verdicts are written already. */
const judgedHeaders = { [analyzedByHeader]: Buffer.from('gateway') };

function writeLines(logger: Logger, lines: readonly LogLine[]): void {
  for (const { level, message, fields } of lines) logger[level](fields, message);
}
