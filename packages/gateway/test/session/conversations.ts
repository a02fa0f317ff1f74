import { calls } from '../agent.ts';
import type { GatewayBench } from '../harness.ts';

/** A model that always reads the same file. */
export const read = calls('read_file', { path: 'a' });

/** Whether each reply made a call or was stopped. */
export const kinds = (finishes: readonly { readonly finish: string }[]) =>
  finishes.map(({ finish }) => (finish === 'error' || finish === 'loop_detected' ? 'stopped' : 'call'));

/** The ids of all sessions that the gateway recorded. */
export const sessionsOf = (bench: GatewayBench) =>
  new Set(bench.events.map(({ sessionId }) => String(sessionId)));
