import type { Database } from '@loopwatch/storage';
import { modelReply, type ScriptedUpstream, startScriptedUpstream } from '@loopwatch/testkit';
import { Agent } from '../agent.ts';
import { GatewayBench } from '../harness.ts';

/** A model that always reads the same file. */
export const startUpstream = (): Promise<ScriptedUpstream> =>
  startScriptedUpstream((request) =>
    modelReply(request, { calls: [{ name: 'read_file', args: { path: 'a' } }] }),
  );

/** Settings by dotted path. */
export type Flags = Readonly<Record<string, unknown>>;

/** A gateway on a database that outlives it. */
export const gatewayOn = (database: Database, upstream: ScriptedUpstream, flags: Flags = {}) =>
  GatewayBench.before(
    upstream,
    flags,
    {},
    {
      openDatabase: () => Promise.resolve({ ...database, close: () => Promise.resolve() }),
    },
  );

/** Lets a conversation go on at another gateway. */
export function goOn(bench: GatewayBench, agent: Agent | undefined): Agent {
  const next = new Agent(bench, false, 's-1');
  if (agent !== undefined) next.messages.splice(0, 1, ...agent.messages);
  return next;
}
