import type { Verdict } from '@loopwatch/contract';

/** The verdicts of a dozen typical incidents. */

interface Loop {
  readonly id: string;
  readonly agent: string;
  readonly model: string;
  readonly backend: string;
  /** Seconds before `now` at which it was detected. */
  readonly ago: number;
  /** Milliseconds between two steps. */
  readonly pace: number;
  /** Counts at which a verdict was published, in order. */
  readonly counts: readonly number[];
  readonly actions?: readonly Verdict['action'][];
  readonly outcome?: NonNullable<Verdict['outcome']>;
  readonly tokensPerStep?: number;
}

interface CallLoop extends Loop {
  readonly tool: string;
  /** Arguments of call n, from 1. */
  readonly args: (n: number) => Record<string, unknown>;
  readonly similar?: boolean;
}

interface TextLoop extends Loop {
  readonly detector: 'content-repeat' | 'thought-repeat';
  readonly lead: string;
  readonly period: string;
}

const callLoops: CallLoop[] = [
  {
    id: 'i-52e0b7',
    agent: 'checkout-agent',
    model: 'gpt-5-mini',
    backend: 'openai',
    ago: 126,
    pace: 2_050,
    counts: [5, 10, 20],
    actions: ['chance', 'block', 'block'],
    tokensPerStep: 1_790,
    tool: 'read_file',
    args: () => ({ path: 'src/checkout/cart.ts', encoding: 'utf8' }),
  },
  {
    id: 'i-7714ac',
    agent: 'research-7',
    model: 'claude-sonnet-4',
    backend: 'anthropic',
    ago: 305,
    pace: 4_400,
    counts: [5, 10],
    tokensPerStep: 1_210,
    similar: true,
    tool: 'web_search',
    args: (n) => ({
      query:
        n === 1
          ? 'kafka consumer lag alert threshold best practice'
          : 'kafka consumer lag alert threshold best practices 2026',
      max_results: n === 1 ? 5 : 10,
      region: 'eu',
    }),
  },
  {
    id: 'i-90d3f1',
    agent: 'ci-fixer',
    model: 'qwen3-coder',
    backend: 'vllm',
    ago: 1_260,
    pace: 11_800,
    counts: [5, 10, 20, 40, 52],
    actions: ['warn', 'warn', 'warn', 'warn', 'none'],
    outcome: 'ended',
    tool: 'run_command',
    args: () => ({ command: 'npm test -- --run src/billing', cwd: '/workspace', timeoutMs: 120_000 }),
  },
  {
    id: 'i-1f08c2',
    agent: 'concierge',
    model: 'gpt-5-mini',
    backend: 'openai',
    ago: 1_720,
    pace: 6_200,
    counts: [5, 5],
    actions: ['chance', 'none'],
    outcome: 'recovered',
    tokensPerStep: 640,
    tool: 'get_weather',
    args: () => ({ city: 'Rotterdam', units: 'metric' }),
  },
  {
    id: 'i-c4410e',
    agent: 'onboarding',
    model: 'gemini-2.5-pro',
    backend: 'google',
    ago: 2_400,
    pace: 3_100,
    counts: [5, 10, 11],
    actions: ['chance', 'block', 'none'],
    outcome: 'recovered',
    tokensPerStep: 1_900,
    tool: 'list_dir',
    args: () => ({ path: '/home/user/projects', recursive: false }),
  },
  {
    id: 'i-03bb19',
    agent: 'ops-agent',
    model: 'o4-mini',
    backend: 'openai',
    ago: 3_100,
    pace: 9_000,
    counts: [5, 7],
    actions: ['warn', 'none'],
    outcome: 'recovered',
    tokensPerStep: 820,
    tool: 'kubectl_get',
    args: () => ({ resource: 'pods', namespace: 'payments', selector: 'app=ledger', output: 'json' }),
  },
  {
    id: 'i-e871d0',
    agent: 'refactor-2',
    model: 'gpt-5-mini',
    backend: 'openai',
    ago: 5_400,
    pace: 7_400,
    counts: [5, 10, 14],
    actions: ['warn', 'warn', 'none'],
    outcome: 'recovered',
    tokensPerStep: 2_650,
    similar: true,
    tool: 'apply_patch',
    args: (n) => ({
      file: 'packages/api/src/routes/orders.ts',
      start: 118 + (n % 2),
      end: 131,
      replacement: 'return next(error);',
    }),
  },
];

const textLoops: TextLoop[] = [
  {
    id: 'i-a83c55',
    agent: 'billing-bot',
    model: 'smollm2-135m',
    backend: 'ollama',
    ago: 18,
    pace: 900,
    counts: [10, 20],
    detector: 'content-repeat',
    lead: 'Let me look into the invoice for March. The total on the invoice does not match the ledger, so ',
    period: 'I will now check the file again to be sure. ',
  },
  {
    id: 'i-66e1f9',
    agent: 'support-triage',
    model: 'llama-3.2-3b',
    backend: 'vllm',
    ago: 540,
    pace: 700,
    counts: [10, 20, 31],
    actions: ['warn', 'warn', 'none'],
    outcome: 'ended',
    detector: 'content-repeat',
    lead: 'Thank you for your patience. ',
    period: 'We are sorry for the inconvenience and are working on it.\n',
  },
  {
    id: 'i-2dd7a4',
    agent: 'planner',
    model: 'deepseek-r1-distill-8b',
    backend: 'vllm',
    ago: 860,
    pace: 1_300,
    counts: [10, 20],
    detector: 'thought-repeat',
    lead: 'The user wants a route with three stops. ',
    period: 'Wait, but maybe the second stop should come first. Let me reconsider the order of the stops. ',
  },
  {
    id: 'i-f01e37',
    agent: 'docs-writer',
    model: 'mistral-small-3.2',
    backend: 'ollama',
    ago: 4_300,
    pace: 600,
    counts: [10, 13],
    actions: ['warn', 'none'],
    outcome: 'recovered',
    detector: 'content-repeat',
    lead: '| option | default | meaning |\n| --- | --- | --- |\n',
    period: '| `retries` | 3 | How often a request is tried again |\n',
  },
];

export function sampleVerdicts(now: number): Verdict[] {
  return [
    ...callLoops.flatMap((loop) => callVerdicts(loop, now)),
    ...textLoops.flatMap((loop) => textVerdicts(loop, now)),
  ].sort((a, b) => a.time - b.time);
}

/** One more loop, detected at `now`. */
export function newLoop(id: string, now: number): Verdict[] {
  const [loop] = callLoops;
  if (loop === undefined) throw new Error('There is a first sample');
  return callVerdicts({ ...loop, id, agent: 'night-shift', tool: 'fetch_url', ago: 0, counts: [5] }, now);
}

function callVerdicts(loop: CallLoop, now: number): Verdict[] {
  const { tool, args, similar = false } = loop;
  return verdicts(loop, now, 5, (count, began) => {
    const kept = [1, ...Array.from({ length: 7 }, (_, n) => count - 6 + n)].filter(
      (n, index) => index === 0 || n > 1,
    );
    const likeness = similar ? 'nearly the same' : 'the same';
    return {
      detector: 'tool-repeat',
      tool: { name: tool, signature: `${tool}:${JSON.stringify(args(count))}` },
      windowMs: similar ? 300_000 : null,
      reason: `${tool} was called ${String(count)} times ${similar ? 'within 300 seconds' : 'in a row'} with ${likeness} arguments`,
      evidence: {
        matching: similar ? 'similar' : 'exact',
        calls: kept.map((n) => ({
          eventIndex: 11 + n * 4,
          eventId: `e-${String(11 + n * 4)}`,
          time: began + (n - 1) * loop.pace,
          name: tool,
          arguments: JSON.stringify(args(n)),
        })),
      },
    };
  });
}

const WINDOW = 50;

function textVerdicts(loop: TextLoop, now: number): Verdict[] {
  const { lead, period, detector } = loop;
  const what = detector === 'thought-repeat' ? 'reasoning' : 'answer';
  const quoted = period.replace(/\s+/g, ' ').trim().slice(0, 80);
  return verdicts(loop, now, 10, (count) => {
    const text = lead + period.repeat(count + 2);
    const start = 1_204;
    const at = start + text.length - 1;
    const excerpt = text.slice(-1_500);
    return {
      detector,
      tool: null,
      reason: `“${quoted}” appears ${String(count)} times in the ${what}, about every ${String(period.length)} characters`,
      evidence: {
        at,
        window: { length: WINDOW, text: text.slice(-WINDOW) },
        distance: period.length,
        positions: Array.from({ length: 10 }, (_, n) => at - (9 - n) * period.length - WINDOW + 1),
        repeated: period,
        excerpt: { from: at - excerpt.length + 1, text: excerpt },
      },
    };
  });
}

function verdicts(
  loop: Loop,
  now: number,
  threshold: number,
  part: (
    count: number,
    began: number,
  ) => Pick<Verdict, 'detector' | 'tool' | 'reason' | 'evidence'> & { windowMs?: number | null },
): Verdict[] {
  const began = now - loop.ago * 1_000 - (threshold - 1) * loop.pace - 40;
  const text = loop.tokensPerStep === undefined && loop.counts[0] === 10;
  return loop.counts.map((count, index): Verdict => {
    const last = index === loop.counts.length - 1;
    const phase = index === 0 ? 'opened' : last && loop.outcome !== undefined ? 'resolved' : 'escalated';
    const action = loop.actions?.[index] ?? 'warn';
    const time = began + (count - 1) * loop.pace + (phase === 'resolved' ? loop.pace : 0);
    const latency = 9 + ((count * 37 + loop.ago) % 60);
    const { windowMs = null, ...fields } = part(count, began);
    const steps = text ? 1 : count;
    return {
      v: 1,
      id: `${loop.id}-${String(index + 1)}`,
      incidentId: loop.id,
      phase,
      kind: 'loop',
      action,
      ...(phase === 'resolved' && loop.outcome !== undefined && { outcome: loop.outcome }),
      sessionId: `s-${loop.id.slice(2, 6)}21c0`,
      promptId: 'p-3',
      eventId: `e-${String(11 + count * 4)}`,
      eventIndex: 11 + count * 4 + (phase === 'resolved' ? 1 : 0),
      time,
      detectedAt: time + latency,
      count,
      threshold,
      windowMs,
      period: 1,
      confidence: 1,
      ...fields,
      ...(phase === 'resolved' && {
        reason: `${fields.reason.replace(' was ', ' had been ')}; a different step followed`,
      }),
      ...(action === 'chance' && { guidance: guidance(fields.tool?.name ?? 'this tool', count) }),
      cost: {
        calls: text ? 0 : count,
        turns: steps,
        characters: text ? count * 52 : 0,
        tokens: loop.tokensPerStep === undefined ? null : loop.tokensPerStep * count,
        ms: time - began,
      },
      source: {
        topic: 'loopwatch.events',
        partition: 3,
        firstOffset: '88120',
        offset: String(88_120 + count * 14),
      },
      model: loop.model,
      backend: loop.backend,
      agent: loop.agent,
      tenant: null,
      preset: 'balanced',
      configHash: '4f1c9a2e71',
    };
  });
}

function guidance(tool: string, count: number): string {
  return [
    `You have called ${tool} ${String(count)} times in a row with the same arguments.`,
    'Stop and think before the next call:',
    '- Check that this is the right tool, and that its name and parameters are correct.',
    '- If it failed or returned nothing new, change the arguments or try a different approach.',
  ].join('\n');
}
