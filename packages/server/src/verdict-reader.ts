import { type Verdict, verdictSchema } from '@loopwatch/contract';
import type { BatchHandler, LogRecord, SourceObserver } from '@loopwatch/log';
import type { Logger } from 'pino';
import type { IncidentStore } from './incident-store.ts';
import type { ServerMetrics } from './metrics.ts';
import type { VerdictLog } from './verdict-log.ts';

export interface VerdictReaderOptions {
  readonly store: IncidentStore;
  readonly log: VerdictLog;
  readonly metrics: ServerMetrics;
  readonly logger: Logger;
  /** Called with the id of an incident that is new or has changed. */
  readonly onChange: (incidentId: string) => void;
}

/** Reads the verdict topic into the store. It commits nothing: the next start reads from the beginning again. */
export class VerdictReader {
  private readonly options: VerdictReaderOptions;
  private readonly lags = new Map<string, number>();
  private connection: { up: boolean; reason?: string } = { up: true };
  /** Timestamp of the latest record, epoch ms. */
  lastVerdictAt: number | null = null;

  constructor(options: VerdictReaderOptions) {
    this.options = options;
  }

  readonly handle: BatchHandler = (batch) => {
    for (const record of batch.records) {
      const verdict = decode(record);
      if (typeof verdict === 'string') {
        this.options.metrics.verdicts.inc({ result: 'unreadable' });
        const { topic, partition } = batch;
        const at = { topic, partition, offset: record.offset };
        this.options.logger.warn(
          { ...at, detail: verdict },
          'a record of the verdict topic is not a verdict',
        );
      } else {
        this.read(verdict, record.timestamp);
      }
    }
    this.lags.set(`${batch.topic}/${String(batch.partition)}`, batch.lag);
    return Promise.resolve();
  };

  readonly observer: SourceObserver = {
    onConnection: (state, reason) => {
      this.connection = { up: state === 'up', ...(reason !== undefined && { reason }) };
    },
  };

  /** Verdicts not read yet, as of the latest batches; null before the first. */
  get lag(): number | null {
    if (this.lags.size === 0) return null;
    return [...this.lags.values()].reduce((sum, lag) => sum + lag, 0);
  }

  readiness(): { ok: boolean; detail?: string } {
    if (!this.connection.up)
      return { ok: false, detail: this.connection.reason ?? 'the link to the log is down' };
    return this.lag ? { ok: true, detail: `${String(this.lag)} verdicts to read` } : { ok: true };
  }

  private read(verdict: Verdict, timestamp: number): void {
    const { store, log, metrics, onChange } = this.options;
    const result = store.apply(verdict, timestamp);
    log.add(verdict);
    metrics.verdicts.inc({ result });
    this.lastVerdictAt = Math.max(this.lastVerdictAt ?? timestamp, timestamp);
    if (result === 'opened' || result === 'changed') onChange(verdict.incidentId);
  }
}

/** The verdict in a record, or what is wrong with it. */
function decode({ value }: LogRecord): Verdict | string {
  if (value === null) return 'the record has no value';
  let json: unknown;
  try {
    json = JSON.parse(value.toString('utf8'));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const parsed = verdictSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  return parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
}
