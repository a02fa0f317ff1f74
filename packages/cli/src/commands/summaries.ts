import { Command } from 'commander';

/** What each command does, in the order of the help. */
export const summaries = {
  start: 'runs worker, dashboard and sample sessions in one process; no Kafka needed',
  worker: 'consumes events and publishes verdicts; run at most one per partition',
  server: 'serves the dashboard and the API for verdicts in Kafka',
  gateway: 'proxies requests to a model API and stops loops; clients change their base URL',
  scan: 'finds loops in the histories of coding agents on this machine, and what they cost',
  hook: 'sets up hooks of coding agents, so that Loopwatch can stop their loops',
  replay: 'analyses recorded events offline and prints verdicts',
  produce: 'sends recorded events to Kafka',
  topics: 'creates missing topics and checks existing ones',
  notify: 'tests notifications about incidents',
  mcp: 'serves tools by which agents ask about loops, as an MCP server',
  tokens: 'lists, creates and revokes tokens of a running server',
  erase: 'erases sessions from a running server, by id, tag or tenant',
  repair: 'replaces a damaged log or database in the data folder',
  config: 'prints the effective configuration and where each value came from',
  doctor:
    'checks brokers, topics, schema registry, database, logins, ports, folders and the model, and says how to fix problems',
} as const;

export type CommandName = keyof typeof summaries;

/** A command without its options. */
export function describedCommand(name: CommandName): Command {
  return new Command(name).description(summaries[name]);
}
