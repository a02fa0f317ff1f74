// Checks the packed packages as npm's users and their compilers see them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { distributedPackages } from './dependencies.mjs';
import { licenseFaults } from './notices.mjs';
import { command, libraries, packed, publishedManifest } from './published.mjs';
import { sbomFaults } from './sbom.mjs';

/** The packages are ES modules: CommonJS loads them by `import()`, and resolvers without `exports` are too old for them. */
const accepted = new Set(['CJSResolvesToESM']);
const withoutExports = 'node10';

/** @throws Error naming everything that is wrong */
export async function checkPackages(sbom) {
  const faults = [...licenseFaults(distributedPackages()), ...sbomFaults(sbom)];
  for (const folder of [command, ...libraries]) {
    if (publishedManifest(folder).sideEffects === undefined) faults.push(`${folder}: states no sideEffects`);
    const pkgDir = join(packed, folder);
    const { messages } = await publint({ pkgDir, pack: false, strict: true });
    for (const message of messages)
      faults.push(`${folder}: ${formatMessage(message, publishedManifest(folder), { color: false })}`);
  }
  for (const folder of libraries) {
    const { name, version } = publishedManifest(folder);
    const tarball = join(packed, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
    const { types, problems } = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
    if (types === false) faults.push(`${folder}: contains no types`);
    for (const { kind, resolutionKind, entrypoint } of problems ?? [])
      if (!accepted.has(kind) && resolutionKind !== withoutExports)
        faults.push(`${folder}: types of ${entrypoint ?? '.'} for ${resolutionKind}: ${kind}`);
  }
  if (faults.length > 0) throw new Error(`The packages cannot be published:\n${faults.join('\n')}`);
  console.log('Manifests, types, licenses and SBOM: ok');
}
