import type { AgentEvent, FormatName, KnownEvent } from '@loopwatch/contract';
import type { JsonObject } from './json.ts';

/** A canonical event made of a producer's record; its session is known. */
export type SessionEvent = KnownEvent & { readonly sessionId: string };

/** What the events of a record have in common. */
export interface Stamp {
  readonly sessionId: string;
  /** Session that this one, a sub-agent or a fork, was started by. */
  readonly parentSessionId?: string | undefined;
  /** Epoch ms. */
  readonly time?: number | undefined;
  readonly model?: string | undefined;
  readonly agent?: string | undefined;
  readonly agentVersion?: string | undefined;
  readonly tenant?: string | undefined;
}

/** What one record says. */
export interface Reading {
  readonly events: readonly AgentEvent[];
  /** Types of what holds nothing to be judged: of the record, or of parts of it. */
  readonly ignored: readonly string[];
  /** Whether the record is a piece of something that is told once it is whole. */
  readonly isPiece?: boolean;
}

/** Reads the records of one stream or file in their order. */
export interface FormatReader {
  /** Never throws, whatever the record holds. */
  read(record: JsonObject): Reading;
  /** The events that were waiting for more, at the end of the file or request. */
  end(): readonly SessionEvent[];
}

/** What is in an envelope. */
export interface Enveloped {
  readonly value: unknown;
  readonly session: string | undefined;
  /** Tells the envelope from others, for the events in it that have no ids of their own. */
  readonly id: string | undefined;
}

/** One producer's format: how its records are told from others, and what they mean. */
export interface Format {
  /** As `--format` and `?format=` name it. */
  readonly name: FormatName;
  /** As people call it. */
  readonly title: string;
  /** Whether resumed and forked sessions begin with copies of earlier records, which give events of the same ids. */
  readonly hasCopies?: boolean;
  /** Top-level keys that its records have and others lack, to name the nearest format of a record that none recognises. */
  readonly keys: readonly string[];
  /**
   * Whether a record can only be of this format. Formats do not overlap: at most one recognises a record, so that the order
   * in which they are asked says nothing.
   */
  recognises(record: JsonObject): boolean;
  /** What an envelope holds; undefined where it is empty. */
  unwrap?(record: JsonObject): Enveloped | undefined;
  /** @param session the session of records that name none: the key of a Kafka record, the name of a file */
  createReader(session: string | undefined): FormatReader;
}

const nothing: readonly never[] = [];

/** A piece of something that is told once it is whole. */
export const piece: Reading = { events: nothing, ignored: nothing, isPiece: true };

/** A record that is evaluated. */
export function reading(events: readonly SessionEvent[]): Reading {
  return { events, ignored: nothing };
}

/** A record that holds nothing to be judged. @param type what its producer calls it */
export function ignored(type: string): Reading {
  return { events: nothing, ignored: [type] };
}

/** A reader without state. */
export function statelessReader(read: (record: JsonObject) => Reading): FormatReader {
  return { read, end: () => nothing };
}
