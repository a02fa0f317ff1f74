import type {
  AgentEvent,
  CheckRecord,
  Control,
  EventType,
  SessionSummary,
  Verdict,
} from '@loopwatch/contract';

/** Examples in the published schemas; a test validates each of them against its schema. */

const session = { v: 1, sessionId: 's-1' } as const;

export const eventExamples: { readonly [T in EventType]: AgentEvent } = {
  prompt_started: {
    ...session,
    id: 'e-1',
    time: 1763757600000,
    type: 'prompt_started',
    text: 'Fix the test',
  },
  turn_started: { ...session, time: '2025-11-21T20:40:01Z', type: 'turn_started', model: 'gpt-5-mini' },
  content: { ...session, type: 'content', text: 'I will look at ' },
  thought: { ...session, type: 'thought', text: 'The failure is in the parser.' },
  tool_call_request: {
    ...session,
    type: 'tool_call_request',
    callId: 'c-1',
    name: 'read_file',
    args: { path: 'a' },
  },
  tool_result: { ...session, type: 'tool_result', callId: 'c-1', result: 'no such file', isError: true },
  turn_finished: {
    ...session,
    type: 'turn_finished',
    usage: { inputTokens: 1200, outputTokens: 80 },
    finishReason: 'tool_calls',
  },
  retry: { ...session, type: 'retry' },
  session_ended: { ...session, type: 'session_ended' },
  control: {
    ...session,
    type: 'control',
    set: { 'tool_call_loop.max_repeats': 8 },
    unset: ['tool_call_loop.mode'],
  },
};

const opened: Verdict = {
  v: 1,
  id: 'v-5f0c',
  incidentId: 'i-90ab',
  phase: 'opened',
  kind: 'loop',
  detector: 'tool-repeat',
  action: 'block',
  sessionId: 's-1',
  promptId: null,
  eventId: 'e-17',
  eventIndex: 41,
  time: 1763757600000,
  detectedAt: 1763757600012,
  count: 5,
  threshold: 5,
  windowMs: null,
  period: 1,
  confidence: 1,
  tool: { name: 'read_file', signature: 'read_file:{"path":"a"}' },
  reason: 'read_file was called 5 times in a row with the same arguments',
  evidence: {
    matching: 'exact',
    calls: [
      {
        eventIndex: 41,
        eventId: 'e-17',
        time: 1763757600000,
        name: 'read_file',
        arguments: '{"path":"a"}',
        step: 5,
      },
    ],
    argumentsLength: 12,
    lastAction: 'block',
  },
  cost: { calls: 5, turns: 5, characters: 0, tokens: null, ms: 8200 },
  source: { topic: 'loopwatch.events', partition: 0, firstOffset: '10', offset: '51' },
  model: 'gpt-5-mini',
  backend: 'openai',
  agent: null,
  tenant: null,
  preset: 'stream',
  configHash: 'bd24e21b6e82',
};

export const verdictExamples: readonly Verdict[] = [
  opened,
  {
    ...opened,
    id: 'v-77d1',
    phase: 'resolved',
    action: 'none',
    outcome: 'recovered',
    eventId: 'e-21',
    eventIndex: 52,
    time: 1763757605000,
    detectedAt: 1763757605009,
    reason: 'another call followed',
    source: { topic: 'loopwatch.events', partition: 0, firstOffset: '10', offset: '62' },
  },
];

export const sessionSummaryExamples: readonly SessionSummary[] = [
  {
    v: 1,
    sessionId: 's-1',
    status: 'live',
    startedAt: 1763757591800,
    lastEventAt: 1763757600000,
    events: 42,
    prompts: 1,
    turns: 6,
    toolCalls: 9,
    characters: 1530,
    tokens: { input: 18400, output: 960 },
    model: 'gpt-5-mini',
    backend: 'openai',
    agent: null,
    tenant: null,
    incidents: { open: 1, total: 1, byDetector: { 'tool-repeat': 1 } },
    verdicts: 1,
    source: { topic: 'loopwatch.events', partition: 0, firstOffset: '4', lastOffset: '51' },
    preset: 'stream',
    configHash: 'bd24e21b6e82',
  },
];

export const controlExamples: readonly Control[] = [
  {
    v: 1,
    scope: 'model:openai/gpt-5-mini',
    set: { preset: 'coding' },
    unset: [],
  },
];

export const checkExamples: readonly CheckRecord[] = [
  {
    v: 1,
    id: 'c-41d8',
    sessionId: 's-1',
    promptId: null,
    eventId: 'e-214',
    eventIndex: 213,
    time: 1763757900000,
    turn: 30,
    model: 'qwen3:8b',
    analysis: 'It keeps changing the same line back and forth, and the test fails in the same way each time.',
    confidence: 0.95,
    failure: null,
  },
];
