import { createHash } from 'node:crypto';
import type { IncidentItem } from '@loopwatch/contract/api';

/** What one receiver is told at one time. */
export type NotificationMessage = IncidentMessage | DigestMessage | TestMessage;

interface AnyMessage {
  /** The same whenever this message is sent again, so that a receiver can remove repeats. */
  readonly id: string;
  /** Page of the dashboard. */
  readonly url: string;
  /** When what it says became known, wall clock, epoch ms. */
  readonly at: number;
}

export interface IncidentMessage extends AnyMessage {
  readonly type: 'incident.opened' | 'incident.escalated' | 'incident.resolved';
  readonly incident: IncidentItem;
  /** What the receiver called the message about this incident; null before the first. */
  readonly ref: string | null;
}

/** Stands for incidents that were too many to be told one by one. */
export interface DigestMessage extends AnyMessage {
  readonly type: 'incidents.digest';
  readonly count: number;
  readonly open: number;
  readonly since: number;
}

export interface TestMessage extends AnyMessage {
  readonly type: 'test';
  readonly name: string;
}

/** What was told of an incident: the strongest action so far, or that it is over. */
export function stateOf({ state, action }: Pick<IncidentItem, 'state' | 'action'>): string {
  return state === 'resolved' ? 'resolved' : action;
}

export function messageId(...parts: readonly string[]): string {
  return `msg_${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)}`;
}

/** Which change a message tells, by what was told before it. */
export function typeOf(state: string, sent: string | null): IncidentMessage['type'] {
  if (state === 'resolved') return 'incident.resolved';
  return sent === null ? 'incident.opened' : 'incident.escalated';
}

export function testMessage(name: string, base: string, at: number): TestMessage {
  return { type: 'test', id: messageId('test', name, String(at)), name, url: `${base}/status`, at };
}
