/** What checks a block. */
export interface Checked {
  /** The test, which gets the block from `blocksCheckedBy`. */
  readonly by: string;
  /** What it does with the block, and what stands in for what cannot be run in a test. */
  readonly how: string;
}

const documented = 'packages/cli/test/documented';
const pages = (how: string): Checked => ({ by: `${documented}/pages.int.test.ts`, how });
const connect = (how: string): Checked => ({ by: `${documented}/connect.int.test.ts`, how });
const api = (how: string): Checked => ({ by: `${documented}/api.int.test.ts`, how });
const operations = (how: string): Checked => ({ by: `${documented}/operations.int.test.ts`, how });
const backups = (how: string): Checked => ({ by: `${documented}/deployment.int.test.ts`, how });
const security = (how: string): Checked => ({ by: `${documented}/kafka-security.int.test.ts`, how });
const examples = (how: string): Checked => ({ by: `${documented}/examples.int.test.ts`, how });
const program: Checked = {
  by: `${documented}/programs.int.test.ts`,
  how: 'type checked, and run with stand-ins for what it assumes',
};
const event: Checked = { by: 'tools/testkit/test/documented/events.test.ts', how: 'decoded as events' };
const settings: Checked = {
  by: 'tools/testkit/test/documented/configurations.test.ts',
  how: "validated by the settings' schema",
};
const image = (how: string): Checked => ({ by: 'tools/testkit/test/documented/commands.test.ts', how });
const chart = (how: string): Checked => ({
  by: 'tools/testkit/test/chart/documented-chart.int.test.ts',
  how,
});
const notification = (how: string): Checked => ({
  by: 'packages/server/test/notifications/documented.test.ts',
  how,
});
const guard = (how: string): Checked => ({ by: 'packages/guard/test/documented.test.ts', how });
const mcp = (how: string): Checked => ({ by: 'packages/cli/test/mcp/documented.clients.test.ts', how });
const plugin = (how: string): Checked => ({
  by: 'packages/cli/test/plugin/claude-plugin.clients.test.ts',
  how,
});
const python = (how: string): Checked => ({
  by: 'packages/cli/test/python/python-client.clients.test.ts',
  how,
});
const detection: Checked = { by: 'packages/detectors/test/docs.test.ts', how: 'run through the detectors' };

const ran = 'run as printed';
const ownOutput = 'compared with what the commands before it print';

/** Blocks of a page by `language`, by `language / section` or by `language / title`. */
export type PageChecks = Readonly<Record<string, Checked>>;

/** What checks the blocks of each page. A page without blocks needs no entry. */
export const pageChecks: Readonly<Record<string, PageChecks>> = {
  'README.md': {
    sh: pages(`${ran}; npm's own commands only have to exist`),
    'sh / Your own agents': connect(ran),
    json: pages(ownOutput),
    ts: program,
  },
  'docs/api.md': {
    sh: api(ran),
    json: api('compared with the response to such a request'),
    text: api('compared with a stream of the server'),
  },
  'docs/architecture.md': {
    text: image('a picture: its topics exist'),
  },
  'docs/configuration.md': { yaml: settings, json: event },
  'docs/connect.md': {
    sh: connect(ran),
    ts: program,
    'ts / OpenTelemetry (2)': {
      ...program,
      how: 'type checked against the AI SDK 7, which needs Node 22 to run',
    },
    yaml: settings,
    'yaml / In GitHub Actions': {
      by: 'packages/cli/test/github-action/github-action.int.test.ts',
      how: 'uses inputs of the action, whose step is run as a runner does',
    },
  },
  'docs/deployment.md': {
    'sh / Without containers': backups(
      'run with Kafka and PostgreSQL of the tests; the packages to install and Kafka itself have their own checks',
    ),
    'sh / Compose': image('a service of the Compose file is built; deployment.test.ts validates the file'),
    'sh / Image': image('what it passes to docker is in the Dockerfile'),
    'sh / Kubernetes': chart(
      'run with Helm, which renders instead of installing, and a stand-in for kubectl',
    ),
  },
  'docs/detectors/balanced.md': { sh: operations(ran) },
  'docs/detectors/budget.md': { events: detection, verdicts: detection, yaml: settings },
  'docs/detectors/content-repeat.md': { events: detection, verdicts: detection },
  'docs/detectors/outage.md': { events: detection, verdicts: detection },
  'docs/detectors/semantic.md': { events: detection, answers: detection, verdicts: detection, ts: program },
  'docs/detectors/stagnation.md': { events: detection, verdicts: detection },
  'docs/detectors/thought-repeat.md': { events: detection, verdicts: detection },
  'docs/detectors/tool-cycle.md': { events: detection, verdicts: detection },
  'docs/detectors/tool-limit.md': { events: detection, verdicts: detection },
  'docs/detectors/tool-repeat.md': { events: detection, verdicts: detection },
  'docs/detectors/turn-limit.md': { events: detection, verdicts: detection },
  'docs/events.md': { json: event },
  'docs/gateway.md': {
    sh: pages(`${ran} in front of a scripted model`),
    ts: program,
    toml: {
      by: 'packages/cli/test/hooks/real-agents.clients.test.ts',
      how: 'Codex runs with it, in front of a scripted model',
    },
    sql: {
      by: 'packages/gateway/test/storage/stored-messages.test.ts',
      how: 'run on a database that a gateway has written',
    },
  },
  'docs/guard.md': { ts: program, python: guard('run with a server') },
  'docs/hooks.md': { sh: connect(ran), json: connect(ownOutput) },
  'docs/kafka-security.md': {
    yaml: settings,
    sh: security('compared with the YAML beside it; key stores are converted by the printed commands'),
  },
  'docs/loopbench.md': {
    sh: operations(`${ran}, except for the other tools, which take half a gigabyte to install`),
  },
  'docs/mcp.md': {
    sh: mcp('run with Claude Code, which connects to the server'),
    json: mcp('its command is started, and connected to'),
  },
  'docs/notifications.md': {
    yaml: notification('resolved as a configuration'),
    json: notification('compared with a message'),
    js: notification('verifies what is sent'),
  },
  'docs/dashboard.md': { sh: api(ran) },
  'docs/erasure.md': { sh: api(ran) },
  'docs/operations.md': {
    sh: operations(ran),
    'sh / Storage': backups('run with PostgreSQL, and with an embedded database'),
  },
  'docs/monitoring.md': {
    sh: operations(ran),
    yaml: {
      by: 'tools/testkit/test/documented/collector.test.ts',
      how: 'its pipelines use only what it defines',
    },
  },
  'docs/access.md': { yaml: settings },
  'docs/runbooks.md': {
    sh: operations(`${ran}, with a stand-in for kubectl that runs the command on this machine`),
  },
  'docs/start.md': { sh: pages(ran) },
  'docs/tuning.md': { sh: pages(ran) },
  'clients/claude-code/README.md': {
    sh: plugin('run with Claude Code; the server is started as in the tests of the command'),
    text: {
      by: 'packages/cli/test/plugin/claude-plugin.test.ts',
      how: 'compared with the names in the marketplace',
    },
  },
  'clients/python/README.md': {
    sh: python('compared with the names of the packages'),
    python: python('run with the framework that it is for, and a model that loops'),
    yaml: python('names the guardrail of the example before it'),
  },
  'deploy/helm/loopwatch/README.md': { sh: chart('as in docs/deployment.md') },
  'examples/README.md': { sh: examples(`${ran}; npm's own commands only have to exist`) },
  'golden/README.md': { json: detection },
  'packages/cli/README.md': { sh: pages(ran) },
  'packages/contract/README.md': { ts: program },
  'packages/detectors/README.md': { ts: program },
  'packages/formats/README.md': { ts: program },
  'packages/guard/README.md': { ts: guard('run with the SDK that it is for') },
};
