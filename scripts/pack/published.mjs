// What is published, and the published form of a package's manifest.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');
/** One folder and one tarball for each published package. */
export const packed = join(root, '.cache/packages');
/** The command as it runs: what `npm run build` leaves, and what the published package contains. */
export const runnable = join(root, 'dist/loopwatch');

const readJson = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));
const manifestOf = (folder) => readJson(`packages/${folder}/package.json`);

/** The command, and the libraries; the command contains all other packages. */
export const command = 'cli';
export const libraries = ['contract', 'detectors', 'formats', 'guard'];

/** Packages with native code, which npm chooses by platform: the bundle of the command does not contain them. */
export const external = ['libsql', 'lz4-napi'];

export const version = manifestOf(command).version;

/** The manifest of `packages/<folder>` as users get it: no entries for sources, tests and scripts. */
export function publishedManifest(folder) {
  const { private: isPrivate, devDependencies, scripts, ...manifest } = manifestOf(folder);
  if (isPrivate) throw new Error(`packages/${folder} is private`);
  const { directory: _, ...publishConfig } = manifest.publishConfig;
  const common = { ...manifest, publishConfig };
  if (folder === command) return { ...common, dependencies: externalVersions() };
  return {
    ...common,
    exports: Object.fromEntries(
      Object.entries(manifest.exports).map(([entry, { '@loopwatch/source': source, ...conditions }]) => [
        entry,
        conditions,
      ]),
    ),
    dependencies: Object.fromEntries(
      Object.entries(manifest.dependencies).map(([name, exact]) => [
        name,
        // Packages of one release belong together; of others, an application may share one copy.
        name.startsWith('@loopwatch/') ? exact : `^${exact}`,
      ]),
    ),
  };
}

/** The exact versions that the tests run with. */
function externalVersions() {
  const all = Object.assign(
    {},
    ...readdirSync(join(root, 'packages')).map((it) => manifestOf(it).dependencies),
  );
  return Object.fromEntries(external.map((name) => [name, all[name]]));
}
