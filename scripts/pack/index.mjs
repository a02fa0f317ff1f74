// `npm run pack`: the packages as they are published, each as a folder and a tarball in `.cache/packages`, with
// the software bill of materials of the command, and the wheel of the Python client. Checks manifests, types, licenses and the bill. Needs a build.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkPackages } from './check.mjs';
import { distributedPackages } from './dependencies.mjs';
import { noticesText } from './notices.mjs';
import { command, libraries, packed, publishedManifest, root, runnable, version } from './published.mjs';
import { packPython } from './python.mjs';
import { createSbom } from './sbom.mjs';

const copy = (from, to, filter = () => true) =>
  cpSync(join(root, from), to, { recursive: true, filter: (path) => filter(path) });

function stage(folder) {
  const target = join(packed, folder);
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(publishedManifest(folder), null, 2)}\n`);
  for (const file of ['LICENSE', 'NOTICE', 'CHANGELOG.md']) copy(file, join(target, file));
  copy(`packages/${folder}/README.md`, join(target, 'README.md'));
  return target;
}

function stageLibrary(folder) {
  const target = stage(folder);
  copy(`packages/${folder}/dist`, join(target, 'dist'), (path) => !/\.(?:map|tsbuildinfo)$/.test(path));
  for (const name of readdirSync(join(target, 'dist'), { recursive: true })) {
    if (!/\.[jt]s$/.test(name)) continue;
    const path = join(target, 'dist', name);
    writeFileSync(path, readFileSync(path, 'utf8').replace(/^\/\/# sourceMappingURL=.*\n?/m, ''));
  }
}

/** As `npm run build` left it, with the files that links stand for. */
function stageCommand() {
  const target = stage(command);
  cpSync(runnable, target, {
    recursive: true,
    dereference: true,
    filter: (path) => !path.endsWith('.js.map'),
  });
  writeFileSync(join(target, 'THIRD-PARTY-NOTICES'), noticesText(distributedPackages({ bundled: true })));
}

rmSync(packed, { recursive: true, force: true });
libraries.forEach(stageLibrary);
stageCommand();
const folders = [command, ...libraries];
const output = execFileSync(
  'npm',
  ['pack', '--json', '--ignore-scripts', ...folders.map((it) => `./${it}`)],
  {
    cwd: packed,
    encoding: 'utf8',
  },
);
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
for (const { filename, size, unpackedSize, entryCount } of JSON.parse(output))
  console.log(`${filename}: ${megabytes(size)}, ${megabytes(unpackedSize)} unpacked, ${entryCount} files`);

packPython();
const sbom = createSbom();
writeFileSync(join(packed, `loopwatch-${version}.cdx.json`), `${JSON.stringify(sbom, null, 2)}\n`);
await checkPackages(sbom);
