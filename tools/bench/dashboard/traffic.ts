import { type DetectorId, detectorIds, type SessionSummary, type Verdict } from '@loopwatch/contract';

const phases = ['opened', 'escalated', 'resolved'] as const;
const outcomes = ['recovered', 'ended', 'recovered', 'disabled'] as const;
const tools = [
  'read_file',
  'web_search',
  'run_command',
  'list_dir',
  'kubectl_get',
  'apply_patch',
  'fetch_url',
];
const agents = [
  'checkout-agent',
  'research-7',
  'ci-fixer',
  'concierge',
  'planner',
  'docs-writer',
  'ops-agent',
];
const models = [
  ['openai', 'gpt-5-mini'],
  ['anthropic', 'claude-sonnet-4'],
  ['vllm', 'qwen3-coder'],
  ['google', 'gemini-2.5-pro'],
] as const;

/** Verdicts per incident. */
export const VERDICTS_PER_INCIDENT = 3;

/**
 * Verdict number `n` of a fleet of agents: incidents of three verdicts, of every detector, by a few agents, models and
 * tools, about as large as real ones; a fifth of the incidents stays open. Verdicts of different incidents are
 * interleaved.
 *
 * @param time wall-clock time, epoch ms
 * @param run makes the ids of each run distinct
 */
export function fleetVerdict(n: number, time: number, run: string): Verdict {
  const block = Math.floor(n / (VERDICTS_PER_INCIDENT * INTERLEAVED));
  const within = n % (VERDICTS_PER_INCIDENT * INTERLEAVED);
  const incident = block * INTERLEAVED + (within % INTERLEAVED);
  const step = Math.floor(within / INTERLEAVED);
  const phase = phases[incident % 5 === 0 ? Math.min(step, 1) : step] ?? 'opened';
  const count = 5 + step * 5 + (incident % 7);
  const detector = at<DetectorId>(detectorIds, incident);
  const name = at(tools, incident * 3 + 1);
  const [backend, model] = at(models, Math.floor(incident / 3));
  const args = { path: `src/module-${String(incident % 400)}/index.ts`, encoding: 'utf8' };
  const signature = `${name}:${JSON.stringify(args)}`;
  const resolved = phase === 'resolved';
  return {
    v: 1,
    id: `${run}-v-${String(n)}`,
    incidentId: `${run}-i-${String(incident)}`,
    phase,
    kind: detector === 'outage' ? 'outage' : detector.endsWith('limit') ? 'limit' : 'loop',
    detector,
    action: resolved ? 'none' : phase === 'escalated' ? 'block' : 'warn',
    ...(resolved && { outcome: at(outcomes, incident) }),
    sessionId: `${run}-s-${String(Math.floor(incident / 2))}`,
    promptId: null,
    eventId: `e-${String(count)}`,
    eventIndex: count * 2,
    time: time - 12,
    detectedAt: time,
    count,
    threshold: 5,
    windowMs: null,
    period: 1,
    confidence: 0.8 + (incident % 20) / 100,
    tool: { name, signature },
    reason: `${name} was called ${String(count)} times in a row with the same arguments`,
    ...(!resolved && { guidance: `Stop calling ${name} with these arguments; say what you need instead.` }),
    evidence: {
      matching: 'exact',
      calls: Array.from({ length: 5 }, (_, call) => ({
        eventIndex: count * 2 - call * 2,
        eventId: `e-${String(count * 2 - call * 2)}`,
        time: time - call * 1_500,
        name,
        arguments: args,
      })),
    },
    cost: {
      calls: count,
      turns: count,
      characters: 0,
      tokens: incident % 3 === 0 ? null : count * 1_200,
      ms: count * 1_500,
    },
    model,
    backend,
    agent: at(agents, Math.floor(incident / 5)),
    tenant: incident % 2 === 0 ? 'acme' : 'globex',
    preset: 'balanced',
    configHash: '4f1c9a2',
  };
}

/** The summary that is published with a session's verdict. */
export function fleetSummary(verdict: Verdict): SessionSummary {
  const { sessionId, time, model, backend, agent, tenant, count, cost, detector } = verdict;
  return {
    v: 1,
    sessionId,
    model,
    backend,
    agent,
    tenant,
    status: 'live',
    startedAt: time - 60_000,
    lastEventAt: time,
    events: count * 4,
    prompts: 1,
    turns: count,
    toolCalls: count,
    characters: 0,
    tokens: cost.tokens === null ? null : { input: cost.tokens, output: 100 },
    incidents: { open: 1, total: 1, byDetector: { [detector]: 1 } },
    verdicts: 1,
    preset: 'balanced',
    configHash: '4f1c9a2',
    source: { topic: 'bench.events', partition: 0, firstOffset: '0', lastOffset: '1' },
  };
}

const INTERLEAVED = 100;

function at<T>(values: readonly T[], n: number): T {
  const value = values[n % values.length];
  if (value === undefined) throw new Error('There are values');
  return value;
}
