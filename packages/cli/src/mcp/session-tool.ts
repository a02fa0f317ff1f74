import {
  type SessionDetail,
  sessionDetailSchema,
  sessionPageSchema,
  sessionPath,
  sessionStates,
} from '@loopwatch/contract/api';
import * as z from 'zod';
import { formatCompact, formatCount, formatUsd } from '../scan/format-values.ts';
import type { ApiClient } from '../server/api-client.ts';
import { costText } from './cost.ts';
import { costSchema, defineTool, isoTime, type McpTool, timeSchema } from './tool.ts';

const MAX_SESSIONS = 5;

const sessionSchema = z.object({
  session: z.string(),
  title: z.string().nullable().describe('Its first prompt.'),
  agent: z.string().nullable(),
  model: z.string().nullable(),
  state: z.enum(sessionStates),
  startedAt: timeSchema,
  lastEventAt: timeSchema,
  prompts: z.int(),
  turns: z.int(),
  toolCalls: z.int(),
  tokens: z
    .object({
      input: z.number(),
      output: z.number(),
      cached: z.number().optional().describe('Part of input.'),
    })
    .nullable()
    .describe('null if the agent reports no usage.'),
  usd: costSchema.shape.usd,
  wasted: costSchema.describe('The part that was wasted in loops; null where it is unknown.'),
  incidents: z.object({ open: z.int(), total: z.int() }),
  url: z.url().describe('Its page in the dashboard.'),
});

export function sessionCost(client: ApiClient): McpTool {
  return defineTool({
    name: 'session_cost',
    title: 'Cost of a session',
    description:
      'Says what a session of an agent has cost so far: tokens, US dollars, turns and calls, and how much of it was wasted ' +
      'in loops. Name the session by its id, or by words of its prompts; the latest five sessions that match are returned. ' +
      'Sub-agents are sessions of their own and not included.',
    input: z.strictObject({
      session: z.string().min(1).max(1024).optional().describe('Id of the session.'),
      text: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe('Words in the prompts of the session, or the name of its project, branch or agent.'),
    }),
    output: z.object({
      total: z.int().describe('Number of sessions that match, returned or not.'),
      sessions: z.array(sessionSchema),
    }),
    run: async ({ session, text }) => {
      const { ids, total } = await idsOf(client, session, text);
      const sessions = [];
      for (const id of ids) sessions.push(plainSession(await readSession(client, id), client));
      const head =
        total === 0
          ? `No session matches "${text ?? ''}".`
          : `${formatCount(total, 'session')}${sessions.length < total ? `, the latest ${String(sessions.length)}` : ''}:`;
      return { text: [head, ...sessions.map(factsOf)].join('\n'), data: { total, sessions } };
    },
  });
}

async function idsOf(client: ApiClient, session: string | undefined, text: string | undefined) {
  if ((session === undefined) === (text === undefined))
    throw new Error('Pass either session, the id of a session, or text, words of its prompts.');
  if (session !== undefined) return { ids: [session], total: 1 };
  const query = new URLSearchParams({ q: text ?? '', sort: '-lastEventAt', limit: String(MAX_SESSIONS) });
  const page = await client.read(sessionPageSchema, 'GET', `/sessions?${String(query)}`);
  return { ids: page.items.map(({ sessionId }) => sessionId), total: page.total };
}

/** @throws ServerError if there is no such session */
export async function readSession(client: ApiClient, id: string): Promise<SessionDetail> {
  return await client.read(sessionDetailSchema, 'GET', sessionPath(id));
}

function plainSession(detail: SessionDetail, client: ApiClient): z.infer<typeof sessionSchema> {
  const { title, agent, model, state, prompts, turns, toolCalls, tokens, usd, incidents } = detail;
  return {
    session: detail.sessionId,
    title: title ?? null,
    agent,
    model,
    state,
    startedAt: isoTime(detail.startedAt),
    lastEventAt: isoTime(detail.lastEventAt),
    prompts,
    turns,
    toolCalls,
    tokens,
    usd: usd ?? null,
    wasted: wastedIn(detail),
    incidents: { open: incidents.open, total: incidents.total },
    url: client.pageUrl(sessionPath(detail.sessionId)),
  };
}

/** The sum over its loops; limits and outages waste nothing. */
function wastedIn({ incidentItems }: SessionDetail): z.infer<typeof costSchema> {
  const all = incidentItems.flatMap(({ wasted }) => wasted ?? []);
  const known = (amounts: readonly (number | null | undefined)[]) =>
    amounts.some((amount) => amount == null)
      ? null
      : amounts.reduce<number>((sum, one) => sum + (one ?? 0), 0);
  return {
    calls: all.reduce((sum, { calls }) => sum + calls, 0),
    tokens: known(all.map(({ tokens }) => tokens)),
    usd: known(all.map(({ usd }) => usd)),
  };
}

function factsOf(session: z.infer<typeof sessionSchema>): string {
  const { title, agent, model, state, tokens, usd, turns, toolCalls, prompts, wasted, incidents, url } =
    session;
  const of = [title === null ? null : `"${title}"`, agent ?? 'unnamed agent', model, state];
  const usage =
    tokens === null
      ? 'usage not reported'
      : `${formatCompact(tokens.input)} input and ${formatCompact(tokens.output)} output tokens`;
  return [
    `- ${session.session}: ${of.filter((part) => part !== null).join(', ')}`,
    `  ${usd === null ? 'price unknown' : formatUsd(usd)}, ${usage}, ` +
      [formatCount(prompts, 'prompt'), formatCount(turns, 'turn'), formatCount(toolCalls, 'call')].join(', '),
    `  wasted in loops: ${costText(wasted)}; ${formatCount(incidents.total, 'incident')}, ${String(incidents.open)} open; ${url}`,
  ].join('\n');
}
