import { detectorIds, type EvidenceCall, readEvidence } from '@loopwatch/contract';
import {
  type IncidentDetail,
  type IncidentItem,
  incidentDetailSchema,
  incidentPageSchema,
  incidentStates,
  remediesSchema,
} from '@loopwatch/contract/api';
import { oneLine } from '@loopwatch/detectors/internal';
import * as z from 'zod';
import { formatCount } from '../scan/format-values.ts';
import type { ApiClient } from '../server/api-client.ts';
import { costText, plainCost } from './cost.ts';
import { costSchema, defineTool, isoTime, type McpTool, timeSchema } from './tool.ts';

const MAX_LISTED = 50;
const id = z.string().min(1).max(200);
const name = z.string().min(1).max(1024).optional();

const incidentSchema = z.object({
  id: z.string(),
  reason: z.string().describe('What repeats and how.'),
  detector: z.enum(detectorIds),
  kind: z.enum(['loop', 'limit', 'outage']),
  state: z.enum(incidentStates),
  session: z.string(),
  title: z.string().nullable().describe('The first prompt of the session.'),
  agent: z.string().nullable(),
  model: z.string().nullable(),
  tool: z.string().nullable().describe('The repeated tool.'),
  count: z.int(),
  openedAt: timeSchema,
  lastAt: timeSchema,
  cost: costSchema.describe('Used since the loop began.'),
  url: z.url().describe('Its page in the dashboard.'),
});

export function listIncidents(client: ApiClient): McpTool {
  return defineTool({
    name: 'list_incidents',
    title: 'List incidents',
    description:
      'Lists the incidents that Loopwatch has open, newest first: which agents are looping, or at a limit, right now, what ' +
      'repeats and what it has cost. Muted ones and false positives are left out. With all: true, it lists ' +
      'every incident, resolved and quiet ones too. explain_incident tells more about one.',
    input: z.strictObject({
      session: name.describe('Only incidents of the session with this id.'),
      agent: name.describe('Only incidents of the agent with this name.'),
      model: name,
      tool: name.describe('Only loops that repeat this tool.'),
      detector: z.enum(detectorIds).optional(),
      text: z.string().min(1).max(200).optional().describe('Words in the reason, or in the first prompt.'),
      all: z.boolean().default(false).describe('true: every incident, not only open ones.'),
      limit: z.int().min(1).max(MAX_LISTED).default(10),
    }),
    output: z.object({
      total: z.int().describe('Number of incidents that match, listed or not.'),
      incidents: z.array(incidentSchema),
    }),
    run: async ({ session, text, all, limit, ...filters }) => {
      const query = new URLSearchParams({ sort: '-detectedAt', limit: String(limit) });
      if (!all) query.set('open', 'true');
      const wanted = { ...filters, sessionId: session, q: text };
      for (const [key, value] of Object.entries(wanted)) if (value !== undefined) query.set(key, value);
      const page = await client.read(incidentPageSchema, 'GET', `/incidents?${String(query)}`);
      const incidents = page.items.map((item) => plainIncident(item, client));
      const found = formatCount(page.total, all ? 'incident' : 'open incident');
      const head =
        incidents.length < page.total ? `${found}, the newest ${String(incidents.length)}:` : `${found}.`;
      return {
        text: [head, ...incidents.map((incident) => `- ${incident.id}: ${factsOf(incident)}`)].join('\n'),
        data: { total: page.total, incidents },
      };
    },
  });
}

export function explainIncident(client: ApiClient): McpTool {
  return defineTool({
    name: 'explain_incident',
    title: 'Explain an incident',
    description:
      'Says why Loopwatch opened an incident: what repeats with its evidence, what it has cost, how it ended, what the ' +
      'model was told, and which settings would have prevented it if it is a false alarm.',
    input: z.strictObject({ id: id.describe('Id of the incident, as list_incidents returns it: i-...') }),
    output: incidentSchema.extend({
      guidance: z.string().nullable().describe('The latest guidance for the model.'),
      resolution: z.string().nullable().describe('How it ended; null while it is open.'),
      threshold: z.number().describe('The count at which the detector reports it.'),
      evidence: z.record(z.string(), z.unknown()).describe('Depends on the detector; secrets are masked.'),
      remedies: z
        .array(
          z.object({
            text: z.string(),
            setting: z.string(),
            value: z.unknown(),
            scopes: z.array(z.string()),
          }),
        )
        .describe('Settings under which it would not have been reported.'),
    }),
    run: async ({ id }) => {
      const path = `/incidents/${encodeURIComponent(id)}`;
      const incident = await client.read(incidentDetailSchema, 'GET', path);
      const found = await client.read(remediesSchema, 'GET', `${path}/remedies`);
      const remedies = found.items.map(({ path: setting, text, value, scopes }) => ({
        text,
        setting,
        value: value ?? null,
        scopes,
      }));
      const { guidance, resolution, threshold, evidence } = incident;
      const plain = plainIncident(incident, client);
      const lines = [
        factsOf(plain),
        ...section('What repeats:', evidenceLines(incident)),
        ...section('Guidance for the model:', guidance === null ? [] : [guidance]),
        ...section('How it ended:', resolution === null ? [] : [resolution]),
        ...section(
          'If this is a false alarm, any of these settings would have prevented it:',
          remedies.map(({ text, setting, value }) => `- ${text} (${setting}: ${JSON.stringify(value)})`),
        ),
      ];
      return {
        text: lines.join('\n'),
        data: { ...plain, guidance, resolution, threshold, evidence, remedies },
      };
    },
  });
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', title, ...lines];
}

function plainIncident(
  item: IncidentItem | IncidentDetail,
  client: ApiClient,
): z.infer<typeof incidentSchema> {
  const { reason, detector, kind, state, agent, model, count } = item;
  return {
    id: item.id,
    reason,
    detector,
    kind,
    state,
    session: item.sessionId,
    title: item.sessionTitle ?? null,
    agent,
    model,
    tool: item.tool?.name ?? null,
    count,
    openedAt: isoTime(item.openedAt),
    lastAt: isoTime(item.lastAt),
    cost: plainCost(item.cost),
    url: client.pageUrl(`/incidents/${encodeURIComponent(item.id)}`),
  };
}

function factsOf(incident: z.infer<typeof incidentSchema>): string {
  const { reason, state, agent, model, session, title, openedAt, lastAt, cost, url } = incident;
  const of = [agent ?? 'unnamed agent', model, `session ${session}`, title === null ? null : `"${title}"`];
  return [
    reason,
    `  ${of.filter((part) => part !== null).join(', ')}`,
    `  ${state}, from ${openedAt} to ${lastAt}; ${costText(cost)}; ${url}`,
  ].join('\n');
}

/** The calls, texts or amounts that the detector compared. */
function evidenceLines({ detector, evidence }: IncidentDetail): readonly string[] {
  const read = readEvidence(detector, evidence);
  if (read === undefined) return [];
  if ('calls' in read) return counted(read.calls.map(callLine));
  if ('uses' in read)
    return read.uses.map(({ resource, used, limit }) => `- ${resource}: ${String(used)} of ${String(limit)}`);
  const text = 'analysis' in read ? read.analysis : 'repeated' in read ? read.repeated : undefined;
  return text === undefined ? [] : [text];
}

function callLine({ name, arguments: args, result }: EvidenceCall): string {
  const answer = result === undefined ? '' : ` -> ${result.kind}: ${result.text}`;
  return oneLine(`- ${name} ${args}${answer}`);
}

/** Each line once, in the order of its first appearance. */
function counted(lines: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return [...counts].map(([line, count]) => (count === 1 ? line : `${line} (${String(count)} times)`));
}
