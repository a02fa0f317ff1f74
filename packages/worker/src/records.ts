import type { AgentEvent, DeadLetterReason, Verdict } from '@loopwatch/contract';
import type { EventSource } from '@loopwatch/contract/check';
import type { SemanticCheck } from '@loopwatch/detectors';
import type { SessionAnalyzer, TurnRequest } from '@loopwatch/detectors/internal';

/** An input record of the pipeline. */
export interface InputRecord extends EventSource {
  readonly offset: number;
  /** Epoch ms; used for an event without a time. `null`: the time of the session's previous event. */
  readonly timestamp: number | null;
  /** The event, if it was read from another format; `text` is ignored then. */
  readonly event?: AgentEvent;
  /** By name; absent if the record has none, as in a file. */
  readonly headers?: Readonly<Record<string, unknown>>;
  /** Why the record cannot be read. */
  readonly rejection?: { readonly reason: DeadLetterReason; readonly message: string };
}

/** The partition that records come from. */
export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

export interface VerdictOutcome<R extends InputRecord = InputRecord> {
  readonly type: 'verdict';
  readonly record: R;
  readonly verdict: Omit<Verdict, 'detectedAt'>;
}

/** A record without a valid event, and the reason. */
export interface DeadLetter<R extends InputRecord = InputRecord> {
  readonly type: 'dead_letter';
  readonly record: R;
  readonly reason: DeadLetterReason;
  readonly message: string;
}

/** A session that was erased. */
export interface ErasureOutcome<R extends InputRecord = InputRecord> {
  readonly type: 'erasure';
  readonly record: R;
  readonly sessionId: string;
}

/** Output of the pipeline, in record order. */
export type Outcome<R extends InputRecord = InputRecord> =
  | VerdictOutcome<R>
  | ErasureOutcome<R>
  | DeadLetter<R>;

/** A session's request for a check. `CheckHandling` decides whether the stream continues or waits. */
export interface RaisedCheck<R extends InputRecord = InputRecord> {
  readonly type: 'check';
  readonly record: R;
  readonly session: SessionAnalyzer;
  readonly check: SemanticCheck;
}

/** Why a session was evicted from memory. `lru` is the last resort: it can make two runs differ. */
export type EvictionReason = 'idle' | 'lru' | 'partition_lost' | 'fault' | 'erased';

/** Observes processing, for metrics and logs. It is called for every event, so it must be fast. */
export interface PipelineObserver {
  event(type: string): void;
  duplicate(): void;
  /** A control event with a bad key or value; `message` names it. */
  refusedSetting(sessionId: string, message: string): void;
  /** A model request in a session whose requests are limited. */
  turnRequest(sessionId: string, request: TurnRequest): void;
  evicted(reason: EvictionReason): void;
  /** Incidents that will never be resolved: their session was evicted from memory or restarted after a pause. */
  abandoned(incidentIds: readonly string[]): void;
  /** Detection threw at an answer of the judge, which is a bug in Loopwatch; the session has been forgotten. */
  fault(sessionId: string, offset: number, error: unknown): void;
}

export const silentObserver: PipelineObserver = {
  event: () => undefined,
  duplicate: () => undefined,
  refusedSetting: () => undefined,
  turnRequest: () => undefined,
  evicted: () => undefined,
  abandoned: () => undefined,
  fault: () => undefined,
};
