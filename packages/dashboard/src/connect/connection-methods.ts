import { hookAgents } from '@loopwatch/contract/api';

/** One way to connect agents, with the address of this server filled in. */
export interface ConnectionMethod {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly command: string;
}

interface Addresses {
  /** Of this server, without a trailing slash. */
  readonly origin: string;
  /** Whether requests need a token. */
  readonly hasLogin: boolean;
  /** The topic of events; null where the server reads no Kafka. */
  readonly topic: string | null;
}

/** The same call five times: enough to open an incident with the default settings. */
export function firstLoopCommand({ origin, hasLogin }: Pick<Addresses, 'origin' | 'hasLogin'>): string {
  const event = {
    sessionId: 'demo',
    agent: 'demo-agent',
    type: 'tool_call_request',
    name: 'read_file',
    args: { path: 'notes.txt' },
  };
  return [
    'for i in 1 2 3 4 5; do',
    `  curl -s ${origin}/api/v1/events -H 'content-type: application/json' \\`,
    ...(hasLogin ? [`    -H "authorization: Bearer $LOOPWATCH_INGEST_TOKEN" \\`] : []),
    `    -d '${JSON.stringify(event)}'`,
    'done',
  ].join('\n');
}

export function connectionMethods(addresses: Addresses): ConnectionMethod[] {
  const { origin, hasLogin, topic } = addresses;
  const login = hasLogin ? ` \\\n  -H "authorization: Bearer $LOOPWATCH_INGEST_TOKEN"` : '';
  const token = hasLogin ? ' --token-env LOOPWATCH_INGEST_TOKEN' : '';
  const [agent, ...others] = hookAgents;
  const gateway = `${new URL(origin).protocol}//${new URL(origin).hostname}:4610/v1`;
  return [
    {
      id: 'curl',
      title: 'Try it: your first loop',
      text: 'Sends the same tool call five times. The loop appears on the overview after the fourth.',
      command: firstLoopCommand(addresses),
    },
    {
      id: 'hooks',
      title: 'Coding agents',
      text: `Install a hook that the agent runs before each tool call. Its sessions appear here, and a call that continues a loop is denied with the reason. Works with subscriptions. If this server is unavailable, the agent keeps working. For other agents, replace ${agent} with ${others.join(', ')}.`,
      command: `npx loopwatch hook install ${agent} --url ${origin}${token}`,
    },
    {
      id: 'guard',
      title: 'Guard in your own agent',
      text: 'Wrap the tools of the AI SDK, LangGraph, the OpenAI Agents SDK, or plain functions. The guard checks each call in process before it runs, and Stop session stops the agent.',
      command: [
        "import { createGuard } from '@loopwatch/guard';",
        '',
        'const guard = createGuard({',
        "  agent: 'coder',",
        `  server: { url: '${origin}'${hasLogin ? ', token: process.env.LOOPWATCH_INGEST_TOKEN' : ''} },`,
        '});',
        "const read = guard.tool('read_file', readFile);",
      ].join('\n'),
    },
    {
      id: 'http',
      title: 'HTTP',
      text: 'Post events as they happen: one JSON object, or one per line. Each event names its session.',
      command: `curl ${origin}/api/v1/events -H 'content-type: application/x-ndjson'${login} \\\n  --data-binary @events.jsonl`,
    },
    {
      id: 'otel',
      title: 'OpenTelemetry',
      text: 'Agents that export traces or logs by OTLP send them here. Let the instrumentation record prompts, arguments and results, which it leaves out by default.',
      command: [
        `export OTEL_EXPORTER_OTLP_ENDPOINT=${origin} OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf`,
        ...(hasLogin
          ? ['export OTEL_EXPORTER_OTLP_HEADERS="authorization=Bearer%20$LOOPWATCH_INGEST_TOKEN"']
          : []),
        'python agent.py',
      ].join('\n'),
    },
    {
      id: 'kafka',
      title: 'Kafka',
      text: `Write events to the topic ${topic ?? 'loopwatch.events'} with the session id as the key. Then run the worker and the server against the same brokers. The last command sends recorded events, in place of your producer.`,
      command: [
        'export KAFKA_BROKERS=localhost:9092',
        'npx loopwatch topics',
        'npx loopwatch worker &',
        'npx loopwatch produce events.jsonl',
      ].join('\n'),
    },
    {
      id: 'gateway',
      title: 'Gateway',
      text: 'Change the base URL of your OpenAI or Anthropic client. Nothing else in the agent changes, and the gateway can block loops.',
      command: `npx loopwatch gateway --upstream https://api.openai.com/v1 &\nexport OPENAI_BASE_URL=${gateway}`,
    },
    {
      id: 'scan',
      title: 'Histories on your machine',
      text: 'Finds the loops in the sessions that coding agents have stored on a machine, and what they cost. Nothing leaves it, and this server is not asked.',
      command: 'npx loopwatch scan --since 7d',
    },
    {
      id: 'stream',
      title: 'Verdict stream',
      text: 'Server-sent events for one session: its verdicts, and when someone stops it or dismisses an incident.',
      command: `curl -N ${origin}/api/v1/sessions/SESSION/verdicts/stream${login}`,
    },
    {
      id: 'library',
      title: 'Library',
      text: 'Detect loops in your own process, in Node or in a browser, without a server.',
      command: [
        "import { createSessionAnalyzer } from '@loopwatch/detectors';",
        '',
        'const analyzer = createSessionAnalyzer();',
        'for (const event of events) {',
        '  for (const verdict of analyzer.push(event)) console.log(verdict.reason);',
        '}',
      ].join('\n'),
    },
  ];
}
