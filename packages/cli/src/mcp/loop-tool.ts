import { type AgentEvent, detectionSchema, detectorIds } from '@loopwatch/contract';
import { incidentPageSchema } from '@loopwatch/contract/api';
import { detectionOf, WatchedSession } from '@loopwatch/detectors/internal';
import * as z from 'zod';
import { formatCount } from '../scan/format-values.ts';
import type { ApiClient } from '../server/api-client.ts';
import { readSession } from './session-tool.ts';
import { defineTool, type McpTool } from './tool.ts';

/** Strict: without the arguments or the result under a name of its own, different calls would look alike. */
const callSchema = z.strictObject({
  name: z.string().min(1).max(1024).describe('Name of the tool.'),
  arguments: z.unknown().optional().describe('As it was called: an object, or JSON text.'),
  result: z.unknown().optional().describe('What it returned, or the beginning of it.'),
  isError: z.boolean().optional().describe('Whether it failed.'),
});

const loopSchema = z.object({
  reason: z.string().describe('What repeats and how.'),
  detector: z.enum(detectorIds),
  kind: z.enum(['loop', 'limit', 'outage']),
  count: z.int(),
  guidance: z.string().nullable().describe('What to do instead, if Loopwatch says so.'),
  incident: z.string().nullable().describe('Id for explain_incident; null for calls that were passed.'),
});
type Loop = z.infer<typeof loopSchema>;

export function checkForLoop(client: ApiClient): McpTool {
  return defineTool({
    name: 'check_for_loop',
    title: 'Am I looping?',
    description:
      'Answers "am I looping?". Pass your own latest tool calls, oldest first, with their arguments and results (20 or more ' +
      'if you have them): the detectors of Loopwatch judge them on the spot, and nothing is stored. Or pass the id of a ' +
      'session that Loopwatch watches, to learn what it has found there. If looping is true, do not repeat those calls: try ' +
      'something else, or tell the user what blocks you.',
    input: z.strictObject({
      calls: z.array(callSchema).min(1).max(500).optional().describe('Latest tool calls, oldest first.'),
      session: z.string().min(1).max(1024).optional().describe('Id of a session on the server.'),
    }),
    output: z.object({
      looping: z.boolean().describe('Whether any of them is a loop.'),
      loops: z.array(loopSchema).describe('The loops, limits and outages that are open at the end.'),
    }),
    run: async ({ calls, session }) => {
      if ((calls === undefined) === (session === undefined))
        throw new Error(
          'Pass either calls, your own latest tool calls, or session, the id of a session on the server.',
        );
      const loops = calls === undefined ? await openIn(client, session ?? '') : judge(calls);
      const where = calls === undefined ? `session ${session ?? ''}` : formatCount(calls.length, 'call');
      const looping = loops.some(({ kind }) => kind === 'loop');
      const but = loops.length === 0 ? '.' : ', but:';
      const head = looping ? `Yes, in ${where}:` : `No: nothing loops in ${where}${but}`;
      const lines = loops.map(
        ({ reason, guidance }) => `- ${reason}${guidance === null ? '' : `\n  ${guidance}`}`,
      );
      return { text: [head, ...lines].join('\n'), data: { looping, loops } };
    },
  });
}

/** The session is read first, so that an unknown id is an error, not "no". */
async function openIn(client: ApiClient, sessionId: string): Promise<Loop[]> {
  await readSession(client, sessionId);
  const query = new URLSearchParams({ sessionId, open: 'true' });
  const page = await client.read(incidentPageSchema, 'GET', `/incidents?${String(query)}`);
  return page.items.map(({ id, reason, detector, kind, count }) => ({
    reason,
    detector,
    kind,
    count,
    guidance: null,
    incident: id,
  }));
}

/** By the default settings: an agent that asks about itself needs no server. */
function judge(calls: readonly z.infer<typeof callSchema>[]): Loop[] {
  const session = new WatchedSession('mcp', detectionOf(detectionSchema.parse({})));
  for (const [index, { name, arguments: args, result, isError }] of calls.entries()) {
    const callId = String(index);
    const events: AgentEvent[] = [{ type: 'tool_call_request', callId, name, args }];
    if (result !== undefined || isError !== undefined)
      events.push({ type: 'tool_result', callId, result, ...(isError !== undefined && { isError }) });
    for (const event of events) {
      const { fault } = session.push(event, index * SECONDS);
      if (fault !== undefined)
        throw new Error(`calls[${callId}] cannot be judged: ${fault.message}`, { cause: fault });
    }
  }
  return session.openVerdicts.map(({ reason, detector, kind, count, guidance }) => ({
    reason,
    detector,
    kind,
    count,
    guidance: guidance ?? null,
    incident: null,
  }));
}

/** Between two calls, ms: their times are unknown, and close enough for all windows. */
const SECONDS = 1_000;
