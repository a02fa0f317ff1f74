// @vitest-environment node
import { build } from 'vite';
import { expect, it } from 'vitest';
import { refuseCircularChunks } from '../circular-chunks.ts';

/** No module imports another in a circle. */
const modules: Readonly<Record<string, string>> = {
  entry: `import 'a'; import 'c';`,
  a: `import 'b'; console.log('a');`,
  b: `import 'c'; console.log('b');`,
  c: `console.log('c');`,
};

/** @param groups the modules of each chunk */
function bundle(groups: Readonly<Record<string, RegExp>>) {
  return build({
    configFile: false,
    logLevel: 'silent',
    plugins: [
      {
        name: 'modules',
        resolveId: (id) => (id in modules ? id : undefined),
        load: (id) => modules[id],
      },
      refuseCircularChunks(),
    ],
    build: {
      write: false,
      modulePreload: false,
      rolldownOptions: {
        input: 'entry',
        output: {
          codeSplitting: {
            includeDependenciesRecursively: false,
            groups: Object.entries(groups).map(([name, test]) => ({ name, test })),
          },
        },
      },
    },
  });
}

it('build: fails if chunks import each other in a circle, although their modules do not', async () => {
  await expect(bundle({ outer: /^[ac]$/, inner: /^b$/ })).rejects.toThrow(
    /Chunks import each other in a circle: .*(?:outer.*inner|inner.*outer)/,
  );
});

it('build: allows chunks that share others', async () => {
  await expect(bundle({ outer: /^a$/, inner: /^b$/, last: /^c$/ })).resolves.toBeTruthy();
});
