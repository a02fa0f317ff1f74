import { readFileSync } from 'node:fs';
import type { AgentEvent, FormatName } from '@loopwatch/contract';
import { Translator } from '@loopwatch/formats';
import { logProducers, resultlessLogs } from '../../packages/formats/test/log-producers.ts';
import { type Call, type Producer, producers } from '../../packages/formats/test/producers.ts';
import { readAll } from '../../packages/formats/test/read-all.ts';
import { sampleRecords } from '../../packages/formats/test/sample-records.ts';
import { recordedSdks, recordsThoughts, requestsOf } from '../../packages/formats/test/telemetry/recorded.ts';
import { thoughtRecords, withoutThoughts } from '../../packages/formats/test/thoughts.ts';

const root = new URL('../../', import.meta.url);

/** Tests that stop a looping agent. A comment above them says which agents, and how. */
const stoppingTests: readonly string[] = [
  'packages/cli/test/hooks/real-agents.clients.test.ts',
  'packages/cli/test/producers/litellm-guardrail.clients.test.ts',
  'packages/server/test/guard/hooked-agents.test.ts',
  'clients/python/tests/test_crewai.py',
  'clients/python/tests/test_frameworks.py',
  'clients/python/tests/test_litellm.py',
  'packages/guard/test/agents.test.ts',
  'packages/gateway/test/clients/javascript.clients.test.ts',
];

const stopLinks: Readonly<Record<string, (agent: string) => string>> = {
  hooks: () => '[hooks](../hooks.md)',
  guard: () => '[guard](../guard.md)',
  guardrail: () => '[its guardrail API](../connect.md#litellm)',
  gateway: () => '[gateway](../gateway.md)',
  'Python client': (agent) => {
    const section = (agent.split(',')[0] ?? '').toLowerCase().replaceAll(' ', '-');
    return `[Python client](../../clients/python/README.md#${section})`;
  },
};

const stopComment = /^(?:\/\/|#) Stops by ([\w ]+): (.+)\n(?:it|describe|class)/gm;

/** How the calls of each agent can be stopped, by the comments of the tests that stop it. */
function stopsOfAgents(): ReadonlyMap<string, readonly string[]> {
  const stops = new Map<string, string[]>();
  for (const file of stoppingTests) {
    const comments = [...readFileSync(new URL(file, root), 'utf8').matchAll(stopComment)];
    if (comments.length === 0) throw new Error(`${file}: no test says what it stops`);
    for (const [, way = '', agents = ''] of comments)
      for (const agent of agents.split('; ')) {
        const link = stopLinks[way]?.(agent);
        if (link === undefined) throw new Error(`${file}: ${way} is no way to stop an agent`);
        stops.set(agent, [...(stops.get(agent) ?? []), link]);
      }
  }
  return stops;
}

/** Agents and SDKs whose records are read, by the producers of the tests that prove it. */
const stored: readonly (readonly [agent: string, producer: string, from: string])[] = [
  ['Claude Code', 'claude-code', 'session files'],
  ['Codex', 'codex rollout', 'session files'],
  ['Gemini CLI', 'gemini-cli chat', 'session files'],
  ['Qwen Code', 'qwen-code', 'session files'],
  ['opencode', 'opencode', 'its database or export'],
  ['OpenHands', 'openhands', 'event files'],
  ['Copilot CLI', 'copilot-cli', 'session files'],
  ['Cursor', 'cursor', 'transcripts; `cursor-agent` streams, with results'],
  ['pi', 'pi', 'session files'],
  ['OpenClaw', 'pi', 'session files, its database'],
  ['Droid', 'droid', 'session files'],
  ['Kimi Code', 'kimi-code', 'session files'],
  ['Antigravity CLI', 'antigravity', 'transcripts'],
  ['Grok Build', 'grok', 'session files'],
  ['Hermes', 'hermes', 'its database'],
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
  ['AI SDK', 'AI SDK UI messages', 'UI messages'],
  ['LiteLLM', 'litellm', 'its callback'],
  ['Langfuse', 'langfuse', 'exports, downloaded traces, its API'],
  ['LangSmith', 'langsmith', 'exports, its API'],
  ['MLflow', 'mlflow', 'traces'],
  ['SWE-agent', 'swe-agent', 'trajectories'],
  ['Harbor, Terminal-Bench', 'atif', 'ATIF trajectories'],
  ['Visual Studio Code', 'vscode-chat', 'chat sessions, exports'],
  ['smolagents', 'smolagents', 'steps of its memory'],
];

/** `docs/reference/agents.md`, from what the tests' own records and recordings yield. */
export function agentsPage(): string {
  const stops = stopsOfAgents();
  const named = new Set([...recordedSdks.map(({ sdk }) => sdk), ...stored.map(([agent]) => agent)]);
  const unknown = [...stops.keys()].filter((agent) => !named.has(agent));
  if (unknown.length > 0) throw new Error(`No row is named ${unknown.join(', ')}`);
  const rowOf = (agent: string, from: string, events: readonly AgentEvent[], thoughts: string) =>
    `| ${[agent, from, ...seenIn(events), thoughts, stops.get(agent)?.join(', ') ?? '–'].join(' | ')} |`;
  const rows = [
    ...recordedSdks.map(({ name, sdk, telemetry, thoughts = 'yes' }) => {
      const from = telemetry.replace(/^its own(?= \w|,|$)/, 'its own OpenTelemetry');
      return rowOf(sdk, from, recordedEvents(name), recordsThoughts(name) ? thoughts : 'not recorded');
    }),
    ...stored.map(([agent, producer, from]) => {
      const thoughts = producer in thoughtRecords ? 'yes' : withoutThoughts[producer];
      if (thoughts === undefined) throw new Error(`No test says whether ${producer} records thoughts`);
      return rowOf(agent, from, storedEvents(producer), thoughts);
    }),
  ];
  return [
    '# Agents and SDKs',
    '',
    'What Loopwatch reads of each, and how its calls can be stopped. Every yes is proved by a test: telemetry by what the installed SDK',
    "exported (`tools/recordings/sdks.json` has its version), session files and databases by records in the producer's own shape. `–` means that",
    'the record does not contain it, or that no test proves it. Thoughts are what a reasoning model thinks: `as text` means that the record has',
    "them among the texts, `not recorded` that it leaves them out, `not read` that it has them outside the model's messages. The [gateway](../gateway.md) stops any agent whose base URL can be set; it is named",
    'where a test has stopped that one. [How to connect](../connect.md) · written by `npm run generate`',
    '',
    '| agent or SDK | read from | calls | arguments | results | tokens | thoughts | stopped by |',
    '|---|---|---|---|---|---|---|---|',
    ...rows.toSorted(),
    '',
  ].join('\n');
}

/** What the events of an agent hold. */
function seenIn(events: readonly AgentEvent[]): string[] {
  const has = (isSeen: (event: AgentEvent) => boolean) => (events.some(isSeen) ? 'yes' : '–');
  return [
    has(({ type }) => type === 'tool_call_request'),
    has((event) => event.type === 'tool_call_request' && event['args'] != null),
    has(({ type }) => type === 'tool_result'),
    has((event) => event.type === 'turn_finished' && event['usage'] != null),
  ];
}

function recordedEvents(name: string): AgentEvent[] {
  const translator = new Translator({ format: 'otlp' });
  const read = requestsOf(name, 'healthy').map(({ json }) => translator.read(json));
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
