import { type AgentEvent, judgedHeader, type TopicNames, type Verdict } from '@loopwatch/contract';
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
import type { SessionObserver } from './session/gateway-session.ts';

/** Chances whose outcome is not known yet, at most. */
const MOST_CHANCES = 10_000;

export interface SessionWatchOptions {
  readonly metrics: GatewayMetrics;
  readonly logger: Logger;
  /** Undefined: nothing is written to the event log. */
  readonly outbox: Outbox | undefined;
  readonly topics: TopicNames;
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
    const { metrics, logger, outbox } = this.options;
    if (event.type === 'tool_call_request') metrics.toolCalls.inc();
    for (const verdict of verdicts) {
      this.count(verdict);
      writeLines(logger, verdictLines(verdict));
    }
    outbox?.add(this.records(event, verdicts));
  }

  turnRequest(sessionId: string, request: TurnRequest): void {
    writeLines(this.options.logger, turnRequestLines(sessionId, request));
  }

  fault(sessionId: string, error: unknown): void {
    const { metrics, logger } = this.options;
    metrics.faults.inc();
    logger.error(
      { err: error, sessionId },
      'Detection failed at an event; the request passes, and its session starts afresh. This is a bug: please report it.',
    );
  }

  private count({ incidentId, detector, phase, action, outcome }: PureVerdict): void {
    const { metrics } = this.options;
    metrics.verdicts.inc({ detector, phase, action });
    if (action === 'warn' || action === 'chance') metrics.warnings.inc();
    if (action === 'block') metrics.blocks.inc();
    if (action === 'chance') this.chances.add(incidentId);
    else if (this.chances.delete(incidentId)) {
      if (action === 'block') metrics.mitigations.inc({ outcome: 'blocked' });
      else if (outcome === 'recovered') metrics.mitigations.inc({ outcome: 'recovered' });
    }
    const [oldest] = this.chances;
    if (this.chances.size > MOST_CHANCES && oldest !== undefined) this.chances.delete(oldest);
  }

  private records(event: AgentEvent, verdicts: readonly PureVerdict[]): OutputRecord[] {
    const { topics, now } = this.options;
    const key = event.sessionId ?? '';
    const own: OutputRecord = {
      topic: topics.events,
      key,
      value: JSON.stringify(event),
      headers: judgedHeaders,
    };
    if (verdicts.length === 0) return [own];
    return [
      own,
      ...verdicts.map((found) => {
        const verdict: Omit<Verdict, 'source'> = { ...found, detectedAt: now() };
        return { topic: topics.verdicts, key, value: JSON.stringify(verdict) };
      }),
    ];
  }
}

/** Says that the event was judged where it came about, and that its verdicts are written already. */
const judgedHeaders = { [judgedHeader]: Buffer.from('gateway') };

function writeLines(logger: Logger, lines: readonly LogLine[]): void {
  for (const { level, message, fields } of lines) logger[level](fields, message);
}
