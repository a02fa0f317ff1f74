import { createHash } from 'node:crypto';
import type { IncidentItem, WeeklyReport } from '@loopwatch/contract/api';

/** A message to one receiver. */
export type NotificationMessage = IncidentMessage | DigestMessage | ReportMessage | TestMessage;

interface AnyMessage {
  /** The same at each retry, so that a receiver can deduplicate. */
  readonly id: string;
  /** Page of the dashboard. */
  readonly url: string;
  /** When the change became known; wall clock, epoch ms. */
  readonly at: number;
}

export interface IncidentMessage extends AnyMessage {
  readonly type: 'incident.opened' | 'incident.escalated' | 'incident.resolved';
  readonly incident: IncidentItem;
  /** The receiver's id of the first message about this incident; null before it. */
  readonly ref: string | null;
}

/** Replaces messages about incidents beyond the rate limit. */
export interface DigestMessage extends AnyMessage {
  readonly type: 'incidents.digest';
  readonly count: number;
  readonly open: number;
  readonly since: number;
}

export interface ReportMessage extends AnyMessage {
  readonly type: 'report.weekly';
  readonly report: WeeklyReport;
}

/** Whether it is about one incident. */
export function isAboutIncident(message: NotificationMessage): message is IncidentMessage {
  return 'incident' in message;
}

export interface TestMessage extends AnyMessage {
  readonly type: 'test';
  readonly name: string;
}

/** The state of an incident that messages are about: the strongest action so far, or `resolved`. */
export function stateOf({ state, action }: Pick<IncidentItem, 'state' | 'action'>): string {
  return state === 'resolved' ? 'resolved' : action;
}

export function messageId(...parts: readonly string[]): string {
  return `msg_${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)}`;
}

/** The type of a message, by the state that was sent before it. */
export function typeOf(state: string, sent: string | null): IncidentMessage['type'] {
  if (state === 'resolved') return 'incident.resolved';
  return sent === null ? 'incident.opened' : 'incident.escalated';
}

export function testMessage(name: string, baseUrl: string, at: number): TestMessage {
  return { type: 'test', id: messageId('test', name, String(at)), name, url: `${baseUrl}/status`, at };
}
