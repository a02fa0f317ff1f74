// Arrows point one way; scripts/boundaries.mjs proves that each of these rules still reports what it must.
const { mayImport, rooms } = require('./scripts/rooms.cjs');

const npm = (...names) => `(^|node_modules/)(${names.join('|')})(/|$)`;
const io = npm(
  'kafkajs',
  'snappyjs',
  'lz4-napi',
  'express',
  'socket\\.io',
  'pino',
  'prom-client',
  'helmet',
  'openai',
);

const direction = Object.entries(mayImport).map(([name, others]) => ({
  name: `direction-${name}`,
  comment: `${name} may import only ${others.join(', ') || 'itself'} from the workspace`,
  severity: 'error',
  from: { path: `^packages/${name}/src/` },
  to: {
    path: '^packages/',
    pathNot: `^packages/${name}/|^packages/(${others.join('|')})/src/|/node_modules/`,
  },
}));

const folders = Object.entries(rooms).flatMap(([name, all]) =>
  Object.entries(all).map(([room, others]) => ({
    name: `room-${name}/${room}`,
    comment: `${room} may import only ${others.join(', ') || 'itself'} from its package`,
    severity: 'error',
    from: { path: `^packages/${name}/src/${room}/` },
    to: {
      path: `^packages/${name}/src/`,
      pathNot: `^packages/${name}/src/(${[room, ...others].join('|')})(/|$)`,
    },
  })),
);

module.exports = {
  forbidden: [
    ...direction,
    ...folders,
    {
      name: 'detectors-apart',
      comment: 'What two detectors share lies in a room below them',
      severity: 'error',
      from: { path: '^packages/detectors/src/detectors/([^/]+)/' },
      to: {
        path: '^packages/detectors/src/detectors/',
        pathNot: '^packages/detectors/src/detectors/(?:$1/|definition\\.ts$)',
      },
    },
    {
      name: 'no-cycles',
      comment: 'A cycle hides which of two files is the lower one, types included',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      comment: 'A source that nothing imports and that imports nothing is dead',
      severity: 'error',
      from: { orphan: true, path: '^packages/[^/]+/src/', pathNot: '/(index|main)\\.tsx?$|\\.d\\.ts$' },
      to: {},
    },
    {
      name: 'no-unresolvable',
      comment: 'An import that leads nowhere would make the graph silently smaller',
      severity: 'error',
      // The recorder installs the packages of the agents that it runs.
      from: { pathNot: '^tools/recordings/sdks/' },
      to: { couldNotResolve: true },
    },
    {
      name: 'core-without-node',
      comment: 'The core runs in a browser: no Node modules',
      severity: 'error',
      from: { path: '^packages/((contract|formats|detectors)/src|worker/src/(stream|sessions))/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'core-without-io',
      comment: 'The core is transport-free: no Kafka, HTTP, sockets, logs or metrics',
      severity: 'error',
      from: { path: '^packages/((contract|formats|detectors)/src|worker/src/(stream|sessions))/' },
      to: { path: io },
    },
    {
      name: 'detection-without-rxjs',
      comment: 'A detector is a plain step function; streams begin in the worker',
      severity: 'error',
      from: { path: '^packages/(contract|detectors)/src/' },
      to: { path: npm('rxjs') },
    },
    {
      name: 'detectors-without-compiled-checks',
      comment: 'The compiled check (ajv) belongs to the door, not to detection: not even by a detour',
      severity: 'error',
      from: { path: '^packages/detectors/src/' },
      to: { path: `^packages/contract/src/events/check\\.ts$|${npm('ajv')}`, reachable: true },
    },
    {
      name: 'kafkajs-only-in-log',
      comment: 'The client can be replaced as long as one folder knows it',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: '^packages/log/src/kafka/' },
      to: { path: npm('kafkajs') },
    },
    {
      name: 'kafkajs-internals-in-one-file',
      comment: 'What kafkajs does not promise to keep is found in one place, except what every client needs',
      severity: 'error',
      from: {
        path: '^packages/[^/]+/src/',
        pathNot: '^packages/log/src/kafka/(internals/kafkajs|client/connection-buffers)\\.ts$',
      },
      to: { path: 'node_modules/kafkajs/src/' },
    },
    {
      name: 'no-tests-in-sources',
      comment: 'Tests and tools may import sources, never the other way round',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/' },
      to: { path: '^(tools|e2e)/|^packages/[^/]+/test/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(packages|tools)/[^/]+/dist/' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@loopwatch/source', 'import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.d.ts', '.mjs', '.js', '.json'],
      mainFields: ['module', 'main', 'types'],
    },
  },
};
