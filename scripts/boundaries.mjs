// Checks the boundaries between packages and between their folders, after proving that the checker works: every rule must
// report a violation written for it. (A compiler it cannot use leaves it with an empty graph and no error.)
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const require = createRequire(import.meta.url);
const config = join(root, '.dependency-cruiser.cjs');
const { mayImport, rooms, maxFiles } = require('./rooms.cjs');
const fewestModules = 20;

/** The first package, or folder, that this one must not import. */
function forbidden(name, others, all) {
  return Object.keys(all).find((other) => other !== name && !others.includes(other));
}

const packages = Object.entries(mayImport).map(([name, others]) => {
  const other = forbidden(name, others, { ...mayImport, tools: [] });
  return [
    `direction-${name}`,
    [`packages/${name}/src/up.ts`, `export * from '../../${other}/src/index.ts';`],
    `packages/${other}/src/index.ts`,
  ];
});

const folders = Object.entries(rooms).flatMap(([name, all]) =>
  Object.entries(all).map(([room, others]) => {
    const other = forbidden(room, others, { ...all, 'no-such-room': [] });
    const target = `packages/${name}/src/${other}/index.ts`;
    const up = '../'.repeat(room.split('/').length);
    return [
      `room-${name}/${room}`,
      [`packages/${name}/src/${room}/up.ts`, `export * from '${up}${other}/index.ts';`],
      target,
    ];
  }),
);

/** rule -> [file, source] that breaks it */
const violations = {
  ...Object.fromEntries([...packages, ...folders].map(([rule, violation]) => [rule, violation])),
  'detectors-apart': ['packages/detectors/src/detectors/one/peer.ts', "export * from '../other/index.ts';"],
  'no-cycles': ['packages/worker/src/cycle.ts', "export * from './cycle.ts';"],
  'no-orphans': ['packages/worker/src/orphan.ts', 'export const orphan = 1;'],
  'no-unresolvable': ['packages/worker/src/nowhere.ts', "export * from './nowhere-at-all.ts';"],
  'core-without-node': ['packages/worker/src/stream/node.ts', "export { readFileSync } from 'node:fs';"],
  'core-without-io': ['packages/contract/src/metrics.ts', "export { Counter } from 'prom-client';"],
  'detection-without-rxjs': ['packages/detectors/src/stream.ts', "export type { Observable } from 'rxjs';"],
  'detectors-without-compiled-checks': [
    'packages/detectors/src/detour.ts',
    "export * from '../../contract/src/detour.ts';",
  ],
  'kafkajs-only-in-log': ['packages/log/src/port/client.ts', "export { Kafka } from 'kafkajs';"],
  'kafkajs-internals-in-one-file': [
    'packages/log/src/kafka/fetch/encoder.ts',
    "export { default } from 'kafkajs/src/protocol/encoder.js';",
  ],
  'no-tests-in-sources': [
    'packages/worker/src/kit.ts',
    "export * from '../../../tools/testkit/src/index.ts';",
  ],
};
const helpers = {
  'tools/testkit/src/index.ts': 'export const kit = 1;',
  'packages/contract/src/detour.ts': "export * from './events/check.ts';",
  'packages/contract/src/events/check.ts': "export { Ajv } from 'ajv';",
  'packages/detectors/src/detectors/other/index.ts': 'export {};',
};

function cruise(cwd, ...paths) {
  const tool = join(root, 'node_modules/.bin/depcruise');
  const args = ['--config', config, '--output-type', 'json', ...paths];
  const { stdout, stderr } = spawnSync(tool, args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 28 });
  try {
    return JSON.parse(stdout).summary;
  } catch {
    throw new Error(`dependency-cruiser gave no result: ${stderr || stdout}`);
  }
}

function proveRules() {
  const folder = join(root, '.cache/boundaries');
  rmSync(folder, { recursive: true, force: true });
  const indexes = Object.keys(mayImport).map((name) => `packages/${name}/src/index.ts`);
  const targets = [...indexes, ...[...packages, ...folders].map(([, , target]) => target)];
  const files = {
    ...Object.fromEntries(targets.map((path) => [path, 'export {};'])),
    ...helpers,
    ...Object.fromEntries(Object.values(violations)),
  };
  for (const [path, source] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), `${source}\n`);
  }
  const seen = new Set(cruise(folder, 'packages').violations.map(({ rule, from }) => `${rule.name} ${from}`));
  const rules = require(config).forbidden.map(({ name }) => name);
  const blind = rules.filter((name) => !seen.has(`${name} ${violations[name]?.[0]}`));
  if (blind.length > 0) throw new Error(`rules that no longer report their violation: ${blind.join(', ')}`);
  return rules.length;
}

/** Source folders with too many files, as `folder: files`. */
function heaps(paths) {
  const files = new Map();
  for (const path of paths.filter((one) => /\.(tsx?|mjs|cjs|css)$/.test(one)))
    files.set(dirname(path), (files.get(dirname(path)) ?? 0) + 1);
  return [...files].filter(([, count]) => count > maxFiles).map(([folder, count]) => `${folder}: ${count}`);
}

function proveHeaps() {
  const fits = Array.from({ length: maxFiles }, (_, n) => `packages/a/src/${n}.ts`);
  if (heaps(fits).length > 0 || heaps([...fits, 'packages/a/src/more.ts']).length !== 1)
    throw new Error('the check of folders no longer reports a violation');
}

const proven = proveRules();
proveHeaps();
const paths = ['packages', 'tools', 'e2e'].filter((path) => existsSync(join(root, path)));
const { totalCruised, violations: found } = cruise(root, ...paths);
for (const { rule, from, to, cycle } of found) {
  console.error(
    `${rule.name}: ${cycle ? [from, ...cycle.map((step) => step.name)].join(' -> ') : `${from} -> ${to}`}`,
  );
}
const tracked = execFileSync('git', ['ls-files', ...paths], { cwd: root, encoding: 'utf8' }).split('\n');
const tooFull = heaps(tracked);
for (const folder of tooFull) console.error(`folder with more than ${maxFiles} files: ${folder}`);
console.log(
  `${totalCruised} modules, ${found.length} violations; ${proven} rules proven to report; ${tooFull.length} folders too full`,
);
if (totalCruised <= fewestModules) {
  console.error(`only ${totalCruised} modules were seen, more than ${fewestModules} are expected`);
  process.exitCode = 1;
}
if (found.length > 0 || tooFull.length > 0) process.exitCode = 1;
