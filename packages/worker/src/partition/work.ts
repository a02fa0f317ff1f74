import {
  type CheckRecord,
  erasedHeader,
  type OpenIncidentSummary,
  type TopicNames,
  type Verdict,
} from '@loopwatch/contract';
import type { OutputRecord, StateChange, TaskBatch } from '@loopwatch/log';
import type { BatchTrace } from '../report/batch-trace.ts';
import type { BatchCounts, TimedVerdict } from '../report/detection-report.ts';
import type { SessionSummaries } from '../sessions/summaries.ts';
import type { DeadLetterNote } from './dead-letter-log.ts';

export interface TracedBatch {
  readonly batch: TaskBatch;
  readonly trace: BatchTrace;
}

/** What a batch, an answer or a tick leads to: what is written with its step, and what is counted once that is committed. */
export class Work {
  readonly outputs: OutputRecord[] = [];
  readonly verdicts: TimedVerdict[] = [];
  readonly letters: DeadLetterNote[] = [];
  readonly changes: StateChange[] = [];
  /** The batch, with its counts once it is processed. */
  readonly from: TracedBatch | undefined;
  counts: BatchCounts | undefined;
  /** Open incidents in the summaries that are published. */
  open: readonly OpenIncidentSummary[] = [];
  /** Incidents of sessions that are gone, or paused. */
  abandoned: readonly string[] = [];
  readonly #topics: TopicNames;

  constructor(topics: TopicNames, from?: TracedBatch) {
    this.#topics = topics;
    this.from = from;
  }

  /** @param timestamp of the record that led to it; both epoch ms */
  addVerdict(found: Omit<Verdict, 'detectedAt'>, timestamp: number, detectedAt = timestamp): void {
    const verdict: Verdict = { ...found, detectedAt };
    this.verdicts.push({ verdict, timestamp });
    this.#add('verdicts', verdict.sessionId, verdict);
  }

  addCheck(check: CheckRecord): void {
    this.#add('checks', check.id, check);
  }

  addLetter({ output, note }: { readonly output: OutputRecord; readonly note: DeadLetterNote }): void {
    this.outputs.push(output);
    this.letters.push(note);
  }

  /** A session was erased: its verdicts go. */
  addErasure(sessionId: string): void {
    this.outputs.push(erasureMark(this.#topics.verdicts, sessionId));
  }

  /** Current summaries of sessions, and tombstones for the records of sessions that have expired. */
  addSummaries({ summaries, erased, expired, expiredChecks }: SessionSummaries): void {
    const { sessions } = this.#topics;
    // First: a session that began again has a summary, too.
    for (const sessionId of erased) this.outputs.push(erasureMark(sessions, sessionId));
    for (const summary of summaries) this.#add('sessions', summary.sessionId, summary);
    for (const sessionId of expired) this.#add('sessions', sessionId, null);
    for (const id of expiredChecks) this.#add('checks', id, null);
    this.open = summaries.flatMap(({ openIncidents = [] }) => openIncidents);
  }

  #add(topic: 'verdicts' | 'checks' | 'sessions', key: string, value: object | null): void {
    this.outputs.push({
      topic: this.#topics[topic],
      key,
      value: value === null ? null : JSON.stringify(value),
    });
  }
}

/** Tells the readers of a topic to erase what came before it of the session. */
function erasureMark(topic: string, sessionId: string): OutputRecord {
  return { topic, key: sessionId, value: null, headers: { [erasedHeader]: Buffer.from('1') } };
}
