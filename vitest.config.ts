import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { defaultClientConditions, defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const root = import.meta.dirname;
const source = '@loopwatch/source';
/** Without `module`, which Node does not know: packages offer code that only bundlers can load under it. */
const nodeConditions = defaultServerConditions.filter((condition) => condition !== 'module');

/** `*.test.ts` runs in Node, `*.test.tsx` in a DOM; a middle name moves a file to a slower project. */
const slower = ['**/*.int.test.ts', '**/*.clients.test.ts', '**/*.traces.test.ts', '**/*.model.test.ts'];

/** Packages whose tests start no process, server or database: the inner loop. */
const pure =
  'packages/{{contract,dashboard,detectors,formats,platform}/test,worker/test/{sessions,stream}}/**';
const property = '**/*.property.test.ts';

/** Shared by the tests that need Node alone. */
const inNode = {
  // Most of the time went into loading the same modules again for each file. So nothing may be left behind: `vi.mock` comes
  // too late for modules that another file has loaded, and a test restores what it stubs or spies on.
  isolate: false,
};

/**
 * The files that took longest in the last run come first: whatever of them came late would be left when all others are done.
 * Most of their time is waiting, so for a file that has not run yet, its longest time-out is the best guess.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const known = lastDurations();
    const milliseconds = new Map(
      files.map(({ moduleId }) => [moduleId, known[relative(root, moduleId)] ?? longestTimeout(moduleId)]),
    );
    const duration = ({ moduleId }: TestSpecification): number => milliseconds.get(moduleId) ?? 0;
    return (await super.sort(files)).toSorted((a, b) => duration(b) - duration(a));
  }
}

/** Milliseconds by file, as `npm test` wrote them. */
function lastDurations(): Readonly<Record<string, number>> {
  const file = join(root, '.cache/test-durations.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>) : {};
}

function longestTimeout(file: string): number {
  const stated = readFileSync(file, 'utf8').matchAll(/(?:timeout: |^ *\}, )(\d[\d_]*)/gm);
  return Math.max(0, ...[...stated].map(([, text = '']) => Number(text.replaceAll('_', ''))));
}

/** The first run downloads hundreds of megabytes for some of them, which takes minutes. */
const installing = { testTimeout: 1_200_000, hookTimeout: 1_200_000 };

export default defineConfig({
  // The workspace's own packages are read from their sources, so that no test needs a build.
  resolve: { conditions: [source, ...defaultClientConditions] },
  ssr: { resolve: { conditions: [source, ...nodeConditions] } },
  test: {
    passWithNoTests: true,
    // The projects, and the next run, load what one has compiled.
    experimental: { fsModuleCache: true, fsModuleCachePath: join(root, '.cache/vitest-modules') },
    // At least ten times what a test takes alone, for busy machines; a test that hangs is still found.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 180_000 } },
    setupFiles: ['vitest.setup.ts'],
    // One per core; the integration tests run beside the others. With three for two cores, both took a quarter longer.
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          ...inNode,
          name: 'unit',
          include: [`${pure}/*.test.ts`],
          exclude: [...slower, property],
        },
      },
      {
        extends: true,
        test: {
          ...inNode,
          name: 'component',
          include: ['packages/*/test/**/*.test.ts', 'tools/*/**/*.test.ts'],
          // Property tests run here, wherever they are.
          exclude: [...slower, `${pure}/!(*.property).test.ts`],
          globalSetup: ['tools/testkit/src/component-global-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'dom',
          environment: 'jsdom',
          include: ['packages/*/test/**/*.test.tsx'],
          setupFiles: ['packages/dashboard/test/setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          ...inNode,
          name: 'clients',
          include: ['packages/*/test/**/*.clients.test.ts'],
          ...installing,
          globalSetup: ['tools/testkit/src/clients-global-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['packages/*/test/**/*.int.test.ts', 'tools/**/*.int.test.ts'],
          ...inNode,
          ...installing,
          globalSetup: ['tools/testkit/src/kafka/kafka-global-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          ...inNode,
          name: 'traces',
          include: ['packages/*/test/**/*.traces.test.ts', 'tools/**/*.traces.test.ts'],
          globalSetup: ['tools/testkit/src/kafka/kafka-global-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'model',
          include: ['packages/*/test/**/*.model.test.ts'],
          ...installing,
          globalSetup: ['tools/testkit/src/kafka/kafka-global-setup.ts'],
        },
      },
    ],
  },
});
