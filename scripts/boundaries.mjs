// Checks the package boundaries, after proving that the checker sees: every rule must report the
// violation written for it below. (A compiler it cannot use leaves it with an empty graph and no error.)
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const config = join(root, '.dependency-cruiser.cjs');
const fewestModules = 20;

const ok = { 'packages/testkit/src/index.ts': 'export const kit = 1;' };
/** rule -> [file, source] that breaks it */
const violations = {
  'direction-contract': ['packages/contract/src/up.ts', "export * from '../../detectors/src/index.ts';"],
  'direction-formats': ['packages/formats/src/up.ts', "export * from '../../detectors/src/index.ts';"],
  'direction-detectors': ['packages/detectors/src/up.ts', "export * from '../../pipeline/src/index.ts';"],
  'direction-pipeline': ['packages/pipeline/src/up.ts', "export type * from '../../worker/src/index.ts';"],
  'direction-log': ['packages/log/src/up.ts', "export * from '../../worker/src/index.ts';"],
  'direction-storage': ['packages/storage/src/up.ts', "export * from '../../worker/src/index.ts';"],
  'direction-worker': ['packages/worker/src/up.ts', "export * from '../../server/src/index.ts';"],
  'direction-gateway': ['packages/gateway/src/up.ts', "export * from '../../server/src/index.ts';"],
  'direction-server': ['packages/server/src/up.ts', "export * from '../../worker/src/index.ts';"],
  'direction-dashboard': ['packages/dashboard/src/up.ts', "export * from '../../pipeline/src/index.ts';"],
  'direction-cli': ['packages/cli/src/up.ts', "export * from '../../dashboard/src/index.ts';"],
  'direction-testkit': ['packages/testkit/src/up.ts', "export * from '../../worker/src/index.ts';"],
  'no-cycles': ['packages/worker/src/cycle.ts', "export * from './cycle.ts';"],
  'no-orphans': ['packages/worker/src/orphan.ts', 'export const orphan = 1;'],
  'no-unresolvable': ['packages/worker/src/nowhere.ts', "export * from './nowhere-at-all.ts';"],
  'core-without-node': ['packages/pipeline/src/node.ts', "export { readFileSync } from 'node:fs';"],
  'core-without-io': ['packages/contract/src/metrics.ts', "export { Counter } from 'prom-client';"],
  'detection-without-rxjs': ['packages/detectors/src/stream.ts', "export type { Observable } from 'rxjs';"],
  'detectors-without-compiled-checks': [
    'packages/detectors/src/detour.ts',
    "export * from '../../contract/src/detour.ts';",
  ],
  'kafkajs-only-in-log': ['packages/worker/src/client.ts', "export { Kafka } from 'kafkajs';"],
  'no-tests-in-sources': ['packages/worker/src/kit.ts', "export * from '../../testkit/src/index.ts';"],
};
const helpers = {
  'packages/contract/src/detour.ts': "export * from './check.ts';",
  'packages/contract/src/check.ts': "export { Ajv } from 'ajv';",
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

function canary() {
  const folder = join(root, '.cache/boundaries');
  rmSync(folder, { recursive: true, force: true });
  const names = ['contract', 'detectors', 'pipeline', 'worker', 'server', 'dashboard'];
  const indexes = Object.fromEntries(names.map((name) => [`packages/${name}/src/index.ts`, 'export {};']));
  const files = { ...indexes, ...ok, ...helpers, ...Object.fromEntries(Object.values(violations)) };
  for (const [path, source] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), `${source}\n`);
  }
  const seen = new Set(cruise(folder, 'packages').violations.map(({ rule, from }) => `${rule.name} ${from}`));
  const rules = createRequire(import.meta.url)(config).forbidden.map(({ name }) => name);
  const blind = rules.filter((name) => !seen.has(`${name} ${violations[name]?.[0]}`));
  if (blind.length > 0) throw new Error(`rules that no longer report their violation: ${blind.join(', ')}`);
  return rules.length;
}

const proven = canary();
const paths = ['packages', 'bench', 'e2e'].filter((path) => existsSync(join(root, path)));
const { totalCruised, violations: found } = cruise(root, ...paths);
for (const { rule, from, to, cycle } of found) {
  console.error(
    `${rule.name}: ${cycle ? [from, ...cycle.map((step) => step.name)].join(' -> ') : `${from} -> ${to}`}`,
  );
}
console.log(`${totalCruised} modules, ${found.length} violations; ${proven} rules proven to report`);
if (totalCruised <= fewestModules) {
  console.error(`only ${totalCruised} modules were seen, more than ${fewestModules} are expected`);
  process.exitCode = 1;
}
if (found.length > 0) process.exitCode = 1;
