import type { AgentEvent, FormatName } from '@loopwatch/contract';
import { Translator } from '@loopwatch/formats';
import { otlpJson } from '@loopwatch/formats/otlp-protobuf';
import { logProducers, resultlessLogs } from '../../packages/formats/test/log-producers.ts';
import { type Call, type Producer, producers } from '../../packages/formats/test/producers.ts';
import { readAll } from '../../packages/formats/test/read-all.ts';
import { sampleRecords } from '../../packages/formats/test/sample-records.ts';
import { recordedSdks, requestsOf } from '../../packages/formats/test/telemetry/recorded.ts';

const clients = '../../clients/python/README.md';
const hooks = '[hooks](../hooks.md)';
const gateway = '[gateway](../gateway.md)';
const guard = '[guard](../guard.md)';
const python = (section: string) => `[Python client](${clients}#${section})`;

/** How the calls of an agent or SDK can be stopped; the gateway works with any whose base URL can be set. */
const stops: Readonly<Record<string, string>> = {
  'Claude Code': hooks,
  Codex: hooks,
  'Gemini CLI': hooks,
  'Copilot CLI': hooks,
  opencode: hooks,
  'LangGraph, LangChain': `${python('langgraph')}, ${guard}`,
  'OpenAI Agents SDK': `${python('openai-agents-sdk')}, ${guard}`,
  'Pydantic AI': python('pydantic-ai'),
  CrewAI: python('crewai'),
  Cursor: hooks,
  'AI SDK': guard,
  LiteLLM: python('litellm'),
  // It records agents of any kind.
  MLflow: '–',
};

/** Agents and SDKs whose records are read, by the producers of the tests that prove it. */
const stored: readonly (readonly [agent: string, producer: string, from: string])[] = [
  ['Claude Code', 'claude-code', 'session files'],
  ['Codex', 'codex rollout', 'session files'],
  ['Gemini CLI', 'gemini-cli chat', 'session files'],
  ['Qwen Code', 'qwen-code', 'session files'],
  ['opencode', 'opencode', 'its database or export'],
  ['OpenHands', 'openhands', 'event files'],
  ['Copilot CLI', 'copilot-cli', 'session files'],
  ['Cursor', 'cursor', 'transcripts'],
  ['pi, OpenClaw', 'pi', 'session files'],
  ['Droid', 'droid', 'session files'],
  ['Kimi CLI', 'Kimi CLI', 'session files'],
  ['Mistral Vibe', 'Mistral Vibe', 'session files'],
  ['Cline, Roo Code, Kilo Code', 'Cline, XML', 'task histories'],
  ['goose', 'goose', 'its database'],
  ['Crush', 'crush', 'its database'],
  ['Google ADK', 'adk events', 'events, sessions'],
  ['AutoGen', 'autogen', 'messages'],
  ['Pydantic AI', 'pydantic-ai', 'messages'],
  ['LangGraph, LangChain', 'LangGraph state', 'states of threads'],
  ['LangGraph, LangChain', 'langchain', '`astream_events`'],
  ['OpenAI Agents SDK', 'openai-agents', 'traces'],
  ['AI SDK', 'vercel-ai', 'streams'],
  ['LiteLLM', 'litellm', 'its callback'],
  ['MLflow', 'mlflow', 'traces'],
  ['SWE-agent', 'swe-agent', 'trajectories'],
];

/** `docs/reference/agents.md`, from what the tests' own records and recordings yield. */
export function agentsPage(): string {
  const rows = [
    ...recordedSdks.map(({ name, sdk, telemetry }) =>
      rowOf(sdk, telemetry.replace(/^its own/, 'its own OpenTelemetry'), recordedEvents(name)),
    ),
    ...stored.map(([agent, producer, from]) => rowOf(agent, from, storedEvents(producer))),
  ];
  return [
    '# Agents and SDKs',
    '',
    'What Loopwatch reads of each, and how its calls can be stopped. Every yes is proved by a test: telemetry by what the installed SDK',
    "exported (`tools/recordings/sdks.json` has its version), session files and databases by records in the producer's own shape. `–` means that",
    'the record does not contain it, or that no test proves it. [How to connect](../connect.md) · written by `npm run generate`',
    '',
    '| agent or SDK | read from | calls | arguments | results | tokens | stopped by |',
    '|---|---|---|---|---|---|---|',
    ...rows.toSorted(),
    '',
  ].join('\n');
}

function rowOf(agent: string, from: string, events: readonly AgentEvent[]): string {
  const has = (isSeen: (event: AgentEvent) => boolean) => (events.some(isSeen) ? 'yes' : '–');
  const cells = [
    agent,
    from,
    has(({ type }) => type === 'tool_call_request'),
    has((event) => event.type === 'tool_call_request' && event['args'] != null),
    has(({ type }) => type === 'tool_result'),
    has((event) => event.type === 'turn_finished' && event['usage'] != null),
    stops[agent] ?? gateway,
  ];
  return `| ${cells.join(' | ')} |`;
}

function recordedEvents(name: string): AgentEvent[] {
  const translator = new Translator({ format: 'otlp' });
  const read = requestsOf(name, 'healthy').map(({ body }) => translator.read(otlpJson(body, 'traces') ?? ''));
  return [...read.flatMap(({ events }) => events), ...translator.end()];
}

const calls: readonly Call[] = ['1', '2'].map((id) => ({ id, args: { path: `${id}.md` }, result: id }));

function storedEvents(name: string): AgentEvent[] {
  const producer: Producer | undefined = producers[name] ?? logProducers[name] ?? resultlessLogs[name];
  const [format, recordsOf] = producer ?? [name as FormatName, () => []];
  const records = [...recordsOf(calls)];
  const more = format === 'messages' ? [] : (sampleRecords[format] ?? []);
  if (records.length + more.length === 0) throw new Error(`No test has a producer ${name}`);
  return [...readAll(format, records).events, ...readAll(format, more).events];
}
