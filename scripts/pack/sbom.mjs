// The software bill of materials of the command, in CycloneDX: what it contains and what is installed with it.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import { distributedPackages } from './dependencies.mjs';
import { root, version } from './published.mjs';

const dashboard = `@loopwatch/dashboard@${version}`;
const self = `loopwatch@${version}`;
const nameOf = (ref) => ref.slice(0, ref.lastIndexOf('@'));

/** npm describes the whole workspace (its `--omit=dev` leaves out what is also used in development), by the names of folders. */
export function createSbom() {
  const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'];
  const text = execFileSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });
  const { metadata, components, dependencies, ...sbom } = JSON.parse(text);
  const distributed = new Set(
    distributedPackages({ own: true }).map(({ name, version: it }) => `${name}@${it}`),
  );
  const named = components
    .filter((component) => distributed.has(component['bom-ref']))
    .map((component) => ({ ...component, name: nameOf(component['bom-ref']) }));
  const subject = named.find((component) => component['bom-ref'] === self);
  return {
    ...sbom,
    metadata: { ...metadata, component: { ...subject, type: 'application' } },
    components: named.filter((component) => component !== subject),
    dependencies: dependencies
      .filter(({ ref }) => distributed.has(ref))
      .map(({ ref, dependsOn }) => ({
        ref,
        dependsOn: [...dependsOn.filter((it) => distributed.has(it)), ...(ref === self ? [dashboard] : [])],
      })),
  };
}

/** @returns what is wrong with a document, by the schema of its version of CycloneDX */
export function sbomFaults(sbom) {
  const library = dirname(
    createRequire(import.meta.url).resolve('@cyclonedx/cyclonedx-library/package.json'),
  );
  const schema = (name) => JSON.parse(readFileSync(join(library, `res/schema/${name}.SNAPSHOT.schema.json`)));
  // Formats, such as that of addresses in other scripts, are not checked.
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  for (const name of ['spdx', 'jsf-0.82'])
    ajv.addSchema(schema(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
  const isValid = ajv.compile(schema(`bom-${sbom.specVersion}`));
  if (isValid(sbom)) return [];
  return isValid.errors.map(
    ({ instancePath, message }) => `SBOM: ${instancePath || 'the document'} ${message}`,
  );
}
