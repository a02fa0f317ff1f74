import type { AgentEvent, DeadLetterReason, Verdict } from '@loopwatch/contract';
import type { EventSource } from '@loopwatch/contract/check';
import type { SemanticCheck, SessionAnalyzer, TurnRequest } from '@loopwatch/detectors';

/** A record as the pipeline takes it. */
export interface InputRecord extends EventSource {
  readonly offset: number;
  /** Epoch ms; the time of an event that carries none. `null`: the time of the session's event before it. */
  readonly timestamp: number | null;
  /** The event, where another format than ours was read; `text` is not looked at then. */
  readonly event?: AgentEvent;
  /** Why it holds nothing to be read. */
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

/** A record that holds no event, and why. */
export interface DeadLetter<R extends InputRecord = InputRecord> {
  readonly type: 'dead_letter';
  readonly record: R;
  readonly reason: DeadLetterReason;
  readonly message: string;
}

/** What comes out of the pipeline, in the order of the records. */
export type Outcome<R extends InputRecord = InputRecord> = VerdictOutcome<R> | DeadLetter<R>;

/** A session asks whether it loops; the stream goes on, or waits, as `CheckHandling` says. */
export interface RaisedCheck<R extends InputRecord = InputRecord> {
  readonly type: 'check';
  readonly record: R;
  readonly session: SessionAnalyzer;
  readonly check: SemanticCheck;
}

/** Why a session was taken out of memory. `lru` is the emergency: it can make two runs differ. */
export type EvictionReason = 'idle' | 'lru' | 'partition_lost' | 'fault';

/** Observes processing, for metrics and logs; called for every event, so it has to be fast. */
export interface PipelineObserver {
  event(type: string): void;
  duplicate(): void;
  /** A control event with a bad key or value; `message` names it. */
  refusedSetting(sessionId: string, message: string): void;
  /** A model request in a session whose requests are limited. */
  turnRequest(sessionId: string, request: TurnRequest): void;
  evicted(reason: EvictionReason): void;
  /** Incidents that will never be resolved: their session was taken out of memory, or restarted after a pause. */
  abandoned(incidentIds: readonly string[]): void;
  /** Detection itself failed at an event, which is a bug of ours; the session has been forgotten. */
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
