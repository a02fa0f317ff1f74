import type { Verdict } from '@loopwatch/contract';
import type { BatchHandler, EventSource, LogRecord, OutputRecord, VerdictSink } from '@loopwatch/log';

/** A log of one partition per topic that lives in an array; enough to stand in for the two ports. */
export class MemoryLog {
  readonly records = new Map<string, LogRecord[]>();
  private readonly waiting = new Set<() => void>();
  /** Makes the next `publish` fail. */
  failure: Error | undefined;

  append(topic: string, value: string, { key = null, timestamp = 0 }: AppendOptions = {}): void {
    const records = this.records.get(topic) ?? [];
    this.records.set(topic, records);
    records.push({
      offset: records.length,
      timestamp,
      key: key === null ? null : Buffer.from(key),
      value: Buffer.from(value),
      headers: {},
    });
    for (const wake of this.waiting) wake();
  }

  appendVerdict(verdict: Verdict, topic = 'loopwatch.verdicts'): void {
    const timestamp = verdict.detectedAt ?? verdict.time;
    this.append(topic, JSON.stringify(verdict), { key: verdict.sessionId, timestamp });
  }

  /** Reads `topic` from its beginning, a batch for what is there. */
  source(topic: string): EventSource {
    const records = () => this.records.get(topic) ?? [];
    let running: Promise<void> | undefined;
    let stopped = false;
    let wake: () => void = () => undefined;
    const notify = () => wake();
    const deliver = async (handler: BatchHandler): Promise<void> => {
      let next = 0;
      while (!stopped) {
        const batch = records().slice(next);
        if (batch.length === 0) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          continue;
        }
        await handler({
          topic,
          partition: 0,
          records: batch,
          lag: 0,
          commit: () => Promise.reject(new Error('the server never commits')),
        });
        next += batch.length;
      }
    };
    return {
      run: (handler) => {
        this.waiting.add(notify);
        running = deliver(handler);
        return Promise.resolve();
      },
      stop: async () => {
        stopped = true;
        this.waiting.delete(notify);
        wake();
        await running;
      },
    };
  }

  sink(): VerdictSink {
    return {
      open: () => Promise.resolve(),
      close: () => Promise.resolve(),
      publish: (records: readonly OutputRecord[]) => {
        if (this.failure !== undefined) return Promise.reject(this.failure);
        for (const { topic, key, value } of records) this.append(topic, String(value), { key: String(key) });
        return Promise.resolve();
      },
    };
  }

  /** The values of a topic, parsed. */

  values(topic: string): unknown[] {
    return (this.records.get(topic) ?? []).map((record) => JSON.parse(String(record.value)));
  }
}

interface AppendOptions {
  readonly key?: string | null;
  readonly timestamp?: number;
}
