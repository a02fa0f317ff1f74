// What the published packages need at run time or contain, read from the lock file.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { command, external, libraries, root } from './published.mjs';

/** The dashboard is part of the command, built from its own dependencies. */
const roots = [command, ...libraries, 'dashboard'];
/** Licenses that a manifest names in an old form, which the lock file does not have. */
const namedElsewhere = { 'xmlhttprequest-ssl': 'MIT' };

/**
 * The packages from npm, by name. `bundled` leaves out what npm installs beside the command, with its own license; `own` adds the
 * workspace's packages.
 */
export function distributedPackages({ bundled = false, own = false } = {}) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const found = new Map();
  const visit = (path) => {
    if (bundled && external.includes(nameOf(path))) return;
    const entry = packages[path];
    if (entry.link) return visit(entry.resolved);
    if (found.has(path)) return;
    found.set(path, entry);
    for (const name of Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })) {
      const dependency = resolve(packages, path, name);
      // Optional packages can be missing.
      if (dependency !== undefined) visit(dependency);
    }
  };
  for (const folder of roots) visit(`packages/${folder}`);
  return [...found]
    .filter(([path]) => own || path.includes('node_modules/'))
    .map(([path, { name = nameOf(path), version, license }]) => ({
      path,
      name,
      version,
      license: license ?? namedElsewhere[name],
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

const nameOf = (path) => path.split('node_modules/').at(-1);

/** Looks in the `node_modules` of each folder above, as Node does. */
function resolve(packages, from, name) {
  for (let folder = from; ; folder = folder.replace(/\/?[^/]*$/, '')) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (packages[path] !== undefined) return path;
    if (folder === '') return undefined;
  }
}
