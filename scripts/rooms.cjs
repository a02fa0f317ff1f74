// Which packages and folders may import which: .dependency-cruiser.cjs turns this into rules, scripts/boundaries.mjs proves them.

/** The workspace packages that the sources of each package may import, besides themselves. */
const mayImport = {
  contract: [],
  detectors: ['contract'],
  formats: ['contract'],
  guard: ['contract', 'detectors'],
  platform: ['contract'],
  telemetry: ['contract', 'platform'],
  log: ['contract', 'platform'],
  storage: ['contract', 'platform', 'telemetry'],
  worker: ['contract', 'formats', 'detectors', 'platform', 'telemetry', 'log'],
  gateway: ['contract', 'formats', 'detectors', 'platform', 'telemetry', 'log', 'storage'],
  server: ['contract', 'formats', 'detectors', 'platform', 'telemetry', 'log', 'storage'],
  dashboard: ['contract', 'detectors'],
  cli: [
    'contract',
    'formats',
    'detectors',
    'platform',
    'telemetry',
    'log',
    'storage',
    'worker',
    'gateway',
    'server',
  ],
};

/**
 * What a folder of a package may import from its package, besides itself: other folders, and files of the package's root.
 * A folder that is not named here stands above all of them.
 */
const rooms = {
  dashboard: {
    lib: [],
    ui: ['lib'],
    api: ['lib'],
    live: ['lib', 'api'],
    page: ['lib', 'ui', 'api', 'live'],
  },
  contract: {
    lib: [],
    pattern: [],
    events: ['lib'],
    settings: ['lib', 'pattern', 'events', 'verdicts'],
    verdicts: [],
    api: ['lib', 'events', 'settings', 'verdicts'],
  },
  formats: {
    record: [],
    wire: ['record'],
    agents: ['record', 'wire'],
    streams: ['record', 'wire'],
    telemetry: ['record', 'wire'],
  },
  gateway: {
    http: [],
    api: ['http', 'in-slices.ts'],
    session: ['http', 'api', 'in-slices.ts'],
    storage: ['api', 'session', 'metrics.ts', 'in-slices.ts'],
    'event-log': ['session', 'metrics.ts'],
    proxy: ['http', 'api', 'session', 'storage', 'metrics.ts', 'health.ts', 'in-slices.ts'],
  },
  worker: {
    sessions: ['records.ts'],
    stream: ['records.ts', 'sessions'],
    report: ['records.ts', 'stream/each-record.ts'],
    semantic: ['records.ts', 'report', 'stream'],
    partition: ['records.ts', 'sessions', 'stream', 'report'],
    sources: ['records.ts', 'report', 'partition', 'stream'],
  },
  log: {
    port: [],
    embedded: ['port'],
    'kafka/codecs': ['port'],
    'kafka/login': [],
    'kafka/client': ['port', 'kafka/codecs', 'kafka/login'],
    'kafka/internals': ['kafka/client'],
    'kafka/fetch': ['port', 'kafka/codecs', 'kafka/client', 'kafka/internals'],
    'kafka/produce': ['port', 'kafka/codecs', 'kafka/client', 'kafka/internals'],
    'kafka/task': ['port', 'kafka/codecs', 'kafka/client', 'kafka/internals', 'kafka/fetch', 'kafka/produce'],
    'kafka/diagnose': ['port', 'kafka/client', 'kafka/internals'],
  },
  server: {
    lib: [],
    metrics: [],
    http: [],
    storage: ['http'],
    security: ['http'],
    audit: ['http', 'security', 'storage'],
    settings: ['http', 'security', 'storage', 'audit'],
    incidents: ['http', 'security', 'settings', 'storage', 'triage'],
    triage: ['http', 'security', 'storage', 'incidents'],
    deploys: ['http', 'security', 'storage'],
    sessions: ['http', 'storage', 'incidents', 'triage', 'deploys'],
    stats: ['http', 'storage', 'incidents', 'deploys'],
    live: ['metrics', 'lib', 'security', 'storage', 'incidents', 'sessions', 'stats'],
    events: ['metrics', 'http'],
    guard: ['lib', 'http', 'security', 'storage', 'settings', 'incidents', 'events'],
    budgets: ['http', 'storage', 'settings', 'guard', 'sessions'],
    backtests: ['http', 'security', 'storage', 'settings', 'sessions'],
    notifications: ['metrics', 'http', 'security', 'incidents', 'stats', 'audit'],
    retention: ['metrics', 'storage', 'deploys', 'audit'],
    samples: ['http', 'storage', 'audit'],
    erasure: ['http', 'storage', 'audit', 'retention', 'feed'],
    openapi: ['http', 'stats'],
    feed: [
      'metrics',
      'storage',
      'settings',
      'incidents',
      'triage',
      'sessions',
      'budgets',
      'notifications',
      'retention',
    ],
  },
  detectors: {
    lib: [],
    privacy: [],
    settings: [],
    prices: [],
    text: ['lib'],
    agents: ['lib'],
    calls: ['lib', 'settings', 'agents'],
    incident: ['lib', 'privacy', 'settings', 'agents', 'calls'],
    detectors: ['lib', 'privacy', 'settings', 'text', 'agents', 'calls', 'incident'],
    plan: ['lib', 'privacy', 'settings', 'prices', 'text', 'agents', 'calls', 'incident', 'detectors'],
    session: ['lib', 'privacy', 'settings', 'agents', 'calls', 'incident', 'detectors', 'plan'],
  },
};

/** Maximum number of files in a folder. */
const maxFiles = 25;

module.exports = { mayImport, rooms, maxFiles };
