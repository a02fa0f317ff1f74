import type { Database } from '@loopwatch/storage';
import { modelReply, startScriptedUpstream, waitFor } from '@loopwatch/testkit';
import { expect, it } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import { Agent } from '../agent.ts';
import type { GatewayBench } from '../harness.ts';
import { gatewayOn } from './stored-gateway.ts';

const database = sharedPglite();

/** Stores the first incident of a gateway as the server does once a person has dismissed it. */
async function dismiss(stored: Database, bench: GatewayBench, triage: string): Promise<void> {
  await waitFor(() => bench.verdicts.length > 0);
  const { incidentId, detector, kind, action } = bench.verdicts[0] ?? {};
  await stored.query(
    `insert into incidents (id, detector, kind, action, triage, change, group_key, state, session_id, detected_at,
      last_at, active_at, count, calls, turns, tokens, duration, confidence, search)
      values ($1, $2, $3, $4, $5, 1, 'g', 'open', 's-1', 0, 0, 0, 3, 3, 3, -1, 0, 1, '')`,
    [incidentId, detector, kind, action, triage],
  );
}

it.each([
  { what: 'a loop', triage: 'muted', flags: { 'tool_call_loop.max_repeats': 3 }, files: 1 },
  { what: 'a loop', triage: 'false_positive', flags: { 'tool_call_loop.max_repeats': 3 }, files: 1 },
  { what: 'a limit of tool calls', triage: 'muted', flags: { 'tool_call_limit.max_turns': 2 }, files: 9 },
  {
    what: 'a limit of tool calls',
    triage: 'false_positive',
    flags: { 'tool_call_limit.max_turns': 2 },
    files: 9,
  },
])(
  'dismissed incidents: $what, $triage, stops nothing from the next request on',
  async ({ triage, flags, files }) => {
    const stored = await database();
    // It calls a tool even where it has no choice.
    await using upstream = await startScriptedUpstream((request, i) =>
      modelReply(request, { calls: [{ name: 'read_file', args: { path: i % files } }] }),
    );
    const bench = await gatewayOn(stored, upstream, flags);
    const agent = new Agent(bench, false);
    expect((await agent.turns(3)).map(({ finish }) => finish)).toEqual(['tool_calls', 'tool_calls', 'error']);
    await dismiss(stored, bench, triage);
    agent.messages.pop();
    const got = await agent.turns(3);
    expect(got.map(({ finish }) => finish)).toEqual(['tool_calls', 'tool_calls', 'tool_calls']);
    for (const { json } of upstream.requests.slice(3)) expect(json['tool_choice']).toBeUndefined();
    expect(JSON.stringify(upstream.requests.at(-1)?.json)).not.toContain('limit_reached');
    await bench.stop();
  },
);
