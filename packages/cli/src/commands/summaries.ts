import { Command } from 'commander';

/** What each command does, in the order of the help. */
export const summaries = {
  start: 'runs worker, dashboard and sample sessions in one process; no Kafka needed',
  worker: 'consumes events and publishes verdicts; run at most one per partition',
  server: 'serves the dashboard and the API for verdicts in Kafka',
  gateway: 'proxies requests to a model API and stops loops; clients change their base URL',
  scan: 'finds loops in the histories of coding agents on this machine, and what they cost',
  hook: 'sets up hooks of coding agents, so that Loopwatch can stop their loops',
  replay: 'analyzes recorded events offline and prints verdicts',
  produce: 'sends recorded events to Kafka',
  topics: 'creates missing topics and checks existing ones',
  notify: 'tests the receivers of messages about incidents',
  mcp: 'serves tools by which agents ask about loops, as an MCP server',
  tokens: 'lists, creates and revokes tokens of a running server',
  erase: 'erases sessions from a running server, by id, tag or tenant',
  repair: 'replaces a damaged log or database in the data folder',
  config: 'prints the effective configuration and where each value came from',
  doctor:
    'checks brokers, topics, schema registry, database, logins, ports, folders and the model, and says how to fix problems',
} as const;

export type CommandName = keyof typeof summaries;

/** What follows `loopwatch` in the examples of a command's help. */
export const examples: Readonly<Record<CommandName, readonly string[]>> = {
  start: ['start', 'start --port 4700 --no-samples', 'start --upstream https://api.openai.com/v1'],
  worker: ['worker --brokers kafka-1:9092,kafka-2:9092'],
  server: ['server --brokers kafka-1:9092,kafka-2:9092'],
  gateway: ['gateway --upstream https://api.openai.com/v1'],
  scan: ['scan', 'scan --since 7d --html report.html', 'scan session.jsonl --format claude-code'],
  hook: ['hook install claude-code', 'hook status'],
  replay: [
    'replay events.jsonl.gz',
    'replay session.jsonl --preset stream',
    'replay - --json < events.jsonl',
  ],
  produce: ['produce events.jsonl.gz --brokers localhost:9092'],
  topics: ['topics --brokers localhost:9092'],
  notify: ['notify test on-call'],
  mcp: ['mcp', 'mcp --http --port 4620'],
  tokens: ['tokens list', 'tokens create laptop --role producer --expires 90d'],
  erase: ['erase --session s-4711', 'erase --tag customer:acme --yes'],
  repair: ['repair database', 'repair log --data-dir /var/lib/loopwatch'],
  config: ['config', 'config --set preset=stream'],
  doctor: ['doctor', 'doctor --config loopwatch.yaml'],
};

/** A command without its options. */
export function describedCommand(name: CommandName): Command {
  const lines = examples[name].map((example) => `  loopwatch ${example}\n`);
  return new Command(name)
    .description(summaries[name])
    .addHelpText('after', `\n${lines.length === 1 ? 'Example' : 'Examples'}:\n${lines.join('')}`);
}
