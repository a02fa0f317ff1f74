/** How agents are connected, with the address of this server filled in. */
export interface Way {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly command: string;
}

interface Addresses {
  /** Of this server, without a slash at its end. */
  readonly origin: string;
  /** Whether requests need a token. */
  readonly hasLogin: boolean;
  /** The topic of events; null where the server reads no Kafka. */
  readonly topic: string | null;
}

/** The same call five times: enough to be noticed with the default settings. */
export function firstLoop({ origin, hasLogin }: Pick<Addresses, 'origin' | 'hasLogin'>): string {
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
    ...(hasLogin ? [`    -H "authorization: Bearer $LOOPWATCH_API_TOKEN" \\`] : []),
    `    -d '${JSON.stringify(event)}'`,
    'done',
  ].join('\n');
}

export function waysToConnect(addresses: Addresses): Way[] {
  const { origin, hasLogin, topic } = addresses;
  const login = hasLogin ? ` \\\n  -H "authorization: Bearer $LOOPWATCH_API_TOKEN"` : '';
  const token = hasLogin ? ' --token-env LOOPWATCH_API_TOKEN' : '';
  const gateway = `${new URL(origin).protocol}//${new URL(origin).hostname}:4610/v1`;
  return [
    {
      id: 'curl',
      title: 'Try it: a first loop',
      text: 'Sends one tool call five times. The loop shows on the overview at the fourth.',
      command: firstLoop(addresses),
    },
    {
      id: 'hooks',
      title: 'Claude Code, Codex, Gemini CLI',
      text: 'Install a hook that the agent asks before each tool call. Its sessions appear here, and a call that continues a loop is denied with the reason. Works with subscriptions. While this server is unavailable, the agent goes on.',
      command: ['claude-code', 'codex', 'gemini']
        .map((agent) => `npx loopwatch hook install ${agent} --url ${origin}${token}`)
        .join('\n'),
    },
    {
      id: 'guard',
      title: 'Guard in your own agent',
      text: 'Wrap the tools of the AI SDK, LangGraph, the OpenAI Agents SDK, or plain functions. Each call is decided in process before it runs, and Stop session stops the agent.',
      command: [
        "import { createGuard } from '@loopwatch/guard';",
        '',
        'const guard = createGuard({',
        "  agent: 'coder',",
        `  server: { url: '${origin}'${hasLogin ? ', token: process.env.LOOPWATCH_API_TOKEN' : ''} },`,
        '});',
        "const read = guard.tool('read_file', readFile);",
      ].join('\n'),
    },
    {
      id: 'http',
      title: 'HTTP',
      text: 'Post events as they happen: one JSON object, or one a line. Name the session in each of them.',
      command: `curl ${origin}/api/v1/events -H 'content-type: application/x-ndjson'${login} \\\n  --data-binary @events.jsonl`,
    },
    {
      id: 'kafka',
      title: 'Kafka',
      text: `Write events to the topic ${topic ?? 'loopwatch.events'} with the session id as the key. Then run worker and server on the same brokers.`,
      command: [
        'export KAFKA_BROKERS=localhost:9092',
        'npx loopwatch topics',
        'npx loopwatch worker',
        'npx loopwatch produce events.jsonl   # or your own producer',
      ].join('\n'),
    },
    {
      id: 'gateway',
      title: 'Gateway',
      text: 'Change the base URL of your OpenAI or Anthropic client. Nothing else in the agent changes, and loops can be blocked.',
      command: `npx loopwatch gateway --upstream https://api.openai.com/v1\nexport OPENAI_BASE_URL=${gateway}`,
    },
    {
      id: 'stream',
      title: 'Verdicts as they come',
      text: 'Server-sent events for one session: its verdicts, and whether someone has stopped it or dismissed an incident.',
      command: `curl -N ${origin}/api/v1/sessions/SESSION/verdicts/stream${login}`,
    },
    {
      id: 'library',
      title: 'Library',
      text: 'Detect loops inside your own process, in Node or in a browser, without a server.',
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
