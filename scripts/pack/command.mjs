// `dist/loopwatch`: the command as it runs, in the repository, in tests, in the image and from npm. The pages, the samples and the
// migrations are links to where the build and the repository have them; packing follows them.
import { copyFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { bundleCommand } from './bundle.mjs';
import { command, publishedManifest, root, runnable } from './published.mjs';

/** The bundle finds these one folder above its code. */
const links = {
  dashboard: 'packages/dashboard/dist',
  migrations: 'packages/storage/migrations',
  samples: 'samples',
};

rmSync(runnable, { recursive: true, force: true });
mkdirSync(join(runnable, 'bin'), { recursive: true });
await bundleCommand(join(runnable, 'dist'));
copyFileSync(
  join(root, 'packages/storage/dist/pglite-template.tar.gz'),
  join(runnable, 'dist/pglite-template.tar.gz'),
);
for (const [name, path] of Object.entries(links)) {
  const link = join(runnable, name);
  // Windows creates junctions without the rights that links need.
  symlinkSync(relative(dirname(link), join(root, path)), link, 'junction');
}
const bin = "#!/usr/bin/env node\nimport '../dist/main.js';\n";
writeFileSync(join(runnable, 'bin/loopwatch.js'), bin, { mode: 0o755 });
writeFileSync(join(runnable, 'package.json'), `${JSON.stringify(publishedManifest(command), null, 2)}\n`);
