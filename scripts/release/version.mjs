// `npm run release:version`: sets the next version everywhere and moves the changesets into CHANGELOG.md.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import planRelease from '@changesets/get-release-plan';
import { withRelease } from './changelog.mjs';

const root = join(import.meta.dirname, '../..');
const run = (...[program, ...args]) => execFileSync(program, args, { cwd: root, stdio: 'inherit' });

/** Replaces the texts that `pattern`, without groups, finds exactly so many times. */
function replace(path, pattern, text, times = 1) {
  const parts = readFileSync(join(root, path), 'utf8').split(pattern);
  if (parts.length !== times + 1) throw new Error(`${path}: expected ${pattern} ${times} times`);
  writeFileSync(join(root, path), parts.join(text));
}

const { changesets, releases } = await planRelease(root);
const version = releases[0]?.newVersion;
if (version === undefined) throw new Error('No changesets: there is nothing to release');
run('npx', 'changeset', 'version');
const path = join(root, 'CHANGELOG.md');
const date = new Date().toISOString().slice(0, 10);
writeFileSync(path, withRelease(readFileSync(path, 'utf8'), version, date, changesets));
replace('docker-compose.yml', /image: loopwatch:\S+/, `image: loopwatch:${version}`);
replace('clients/python/src/loopwatch/__init__.py', /__version__ = "[^"]+"/, `__version__ = "${version}"`);
replace('clients/claude-code/.claude-plugin/plugin.json', /"version": "[^"]+"/, `"version": "${version}"`);
replace('action.yml', /^    default: \d\S*/m, `    default: ${version}`);
replace('docs/connect.md', /loopwatch\/loopwatch@v\S+/, `loopwatch/loopwatch@v${version}`);
replace('docs/deployment.md', /REGISTRY\/loopwatch:\S+/, `REGISTRY/loopwatch:${version}`, 2);
replace('Dockerfile', /REGISTRY\/loopwatch:\S+/, `REGISTRY/loopwatch:${version}`);
replace('Dockerfile', /ARG VERSION=\S+/, `ARG VERSION=${version}`);
replace('deploy/helm/loopwatch/Chart.yaml', /^version: \S+/m, `version: ${version}`);
replace('deploy/helm/loopwatch/Chart.yaml', /^appVersion: \S+/m, `appVersion: ${version}`);
run('npm', 'install', '--package-lock-only', '--ignore-scripts');
run('npm', 'run', '-s', 'generate');
