import type { AgentEvent, FormatName, KnownEvent } from '@loopwatch/contract';
import type { JsonObject } from './json.ts';
import type { TelemetryMemory } from './telemetry-memory.ts';

/** A canonical event with its session id, converted from a producer's record. */
export type SessionEvent = KnownEvent & { readonly sessionId: string };

/** Fields that the events of a record share. */
export interface Stamp {
  readonly sessionId: string;
  /** The session that started this sub-agent or fork. */
  readonly parentSessionId?: string | undefined;
  /** Epoch ms. */
  readonly time?: number | undefined;
  readonly model?: string | undefined;
  readonly agent?: string | undefined;
  readonly agentVersion?: string | undefined;
  readonly tenant?: string | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
}

/** The result of reading one record. */
export interface Reading {
  readonly events: readonly AgentEvent[];
  /** Types of the record, or of its parts, that are irrelevant to loops. */
  readonly ignored: readonly string[];
  /** Whether the record yields events later, for example because it is a chunk of a call's arguments. */
  readonly isPending?: boolean;
  /** Whether no call was found, but something in place of one that was not understood. */
  readonly isUnknown?: boolean;
}

/** Converts the records of one stream or file, in order. */
export interface FormatReader {
  /** Never throws, whatever the record contains. */
  read(record: JsonObject): Reading;
  /** The remaining events at the end of the file or request. */
  end(): readonly AgentEvent[];
}

/** The content of an envelope, such as a CloudEvent. */
export interface EnvelopeContent {
  readonly value: unknown;
  readonly session: string | undefined;
  /** Id of the envelope, from which events without an id get theirs. */
  readonly id: string | undefined;
}

/** A producer's format: how to recognize its records, and how to read them. */
export interface Format {
  /** The value of `--format` and `?format=`. */
  readonly name: FormatName;
  /** With its article, for messages: `a Codex session`. */
  readonly title: string;
  /** Whether resumed and forked sessions start with copies of earlier records, whose events have the same ids. */
  readonly hasCopies?: boolean;
  /** Typical top-level keys, to suggest a format for a record that none recognizes. */
  readonly keys: readonly string[];
  /** Whether a record is of this format. At most one format recognizes a record, so their order does not matter. */
  recognizes(record: JsonObject): boolean;
  /** The content of an envelope; undefined if it is empty. */
  unwrap?(record: JsonObject): EnvelopeContent | undefined;
  /**
   * @param session session id for records without one: the key of a Kafka record, or the name of a file
   * @param memory of earlier requests, or of files, with telemetry
   */
  createReader(session: string | undefined, memory?: TelemetryMemory): FormatReader;
}

const nothing: readonly never[] = [];

/** The result for a record that yields events later. */
export const pending: Reading = { events: nothing, ignored: nothing, isPending: true };

/** The result for a record with events. */
export function reading(events: readonly SessionEvent[]): Reading {
  return { events, ignored: nothing };
}

/** The result for an irrelevant record. @param type the producer's name for it */
export function ignored(type: string): Reading {
  return { events: nothing, ignored: [type] };
}

/** A reader without state. */
export function statelessReader(read: (record: JsonObject) => Reading): FormatReader {
  return { read, end: () => nothing };
}
