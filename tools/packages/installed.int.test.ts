import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  freePort,
  npmEnvironment,
  spawnCli,
  startOtlpCollector,
  type TempDir,
  tempDir,
} from '@loopwatch/testkit';
import { chromium } from '@playwright/test';
import { build as esbuild, transform } from 'esbuild';
import { build as vite } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath } from '../../e2e/support/chromium.ts';
import { compile, install, megabytesOf, pack, runNode, tarball } from './install.ts';

const libraries = ['contract', 'detectors', 'formats', 'guard'].map((name) => `@loopwatch/${name}`);
const MAX_MEGABYTES = 80;

let commandDir: TempDir;
let libraryDir: TempDir;
beforeAll(async () => {
  [commandDir, libraryDir] = await Promise.all([
    tempDir('loopwatch-command'),
    tempDir('loopwatch-libraries'),
  ]);
  await pack();
  await Promise.all([
    install(commandDir.path, [tarball('loopwatch')]),
    install(libraryDir.path, libraries.map(tarball)),
  ]);
});
afterAll(async () => {
  await commandDir.remove();
  await libraryDir.remove();
});

async function storedIncidents(url: string): Promise<number> {
  const answer = (await (await fetch(`${url}/api/v1/incidents`)).json()) as { items: unknown[] };
  return answer.items.length;
}

describe('the command, installed from its package', () => {
  const run = (args: readonly string[]) =>
    spawnCli(
      args,
      {},
      { command: join(commandDir.path, 'node_modules/.bin/loopwatch'), cwd: commandDir.path },
    );
  const sample = 'node_modules/loopwatch/samples/error-loop.events.jsonl';

  it(`loopwatch: needs less than ${MAX_MEGABYTES} MB`, async () => {
    const megabytes = await megabytesOf(join(commandDir.path, 'node_modules'));
    console.log(`loopwatch installed: ${megabytes.toFixed(1)} MB`);
    expect(megabytes).toBeLessThan(MAX_MEGABYTES);
  });

  it('loopwatch --version: prints the version of the package', async () => {
    const manifest = await readFile(join(commandDir.path, 'node_modules/loopwatch/package.json'), 'utf8');
    await using cli = run(['--version']);
    expect(await cli.exited).toBe(0);
    expect(cli.stdout).toEqual([(JSON.parse(manifest) as { version: string }).version]);
  });

  it.each(['replay', 'scan'])('loopwatch %s: finds the loop in a sample of the package', async (command) => {
    await using cli = run([command, sample]);
    expect(await cli.exited).toBe(3);
    expect(cli.stdout.join('\n')).toMatch(/read_file/);
  });

  it.each(['config', 'doctor', 'gateway', 'hook', 'notify', 'produce', 'server', 'topics', 'worker'])(
    'loopwatch %s: loads from the package',
    async (command) => {
      await using cli = run([command, '--help']);
      expect({ code: await cli.exited, stderr: cli.stderr }).toEqual({ code: 0, stderr: [] });
    },
  );

  it('loopwatch start: serves the pages, plays the samples and stops', async () => {
    const port = await freePort();
    await using cli = run(['start', '--port', String(port), '--data-dir', join(commandDir.path, 'data')]);
    await cli.line(/playing \d+ sample sessions/);
    const url = `http://localhost:${port}`;
    const page = await fetch(url);
    expect(page.status).toBe(200);
    const [, script = ''] = /<script[^>]* src="([^"]+)"/.exec(await page.text()) ?? [];
    expect((await fetch(new URL(script, url))).status).toBe(200);
    await expect.poll(() => storedIncidents(url)).toBeGreaterThan(0);
    expect(await cli.stop()).toBe(0);
  });
});

describe('the command with OpenTelemetry, installed from its package', () => {
  it('loopwatch start: sends traces and metrics to a collector', async () => {
    await using collector = await startOtlpCollector();
    const port = String(await freePort());
    await using cli = spawnCli(
      ['start', '--no-samples', '--port', port, '--data-dir', join(commandDir.path, 'data-telemetry')],
      { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '50' },
      { command: join(commandDir.path, 'node_modules/.bin/loopwatch'), cwd: commandDir.path },
    );
    await cli.line(/Loopwatch .* is at http/);
    await fetch(`http://localhost:${port}/api/v1/status`);
    await collector.span('GET /api/v1/status');
    expect(await cli.stop()).toBe(0);
    expect(collector.metrics.map(({ name }) => name)).toContain('loopwatch_events_total');
  });
});

describe.each(['20', '22', '24', '26'])('the packages on Node %s', (line) => {
  let node: string;
  beforeAll(async () => {
    const folder = await npmEnvironment('node', join(import.meta.dirname, 'node-versions/package.json'));
    node = join(folder, 'node_modules', `node-${line}-${process.arch}`, 'bin/node');
  });
  const run = (args: readonly string[]) =>
    spawnCli(
      args,
      {},
      {
        node,
        command: join(commandDir.path, 'node_modules/loopwatch/bin/loopwatch.js'),
        cwd: commandDir.path,
      },
    );

  it(`Node ${line}: the command finds a loop without a warning`, async () => {
    await using cli = run(['replay', 'node_modules/loopwatch/samples/error-loop.events.jsonl']);
    expect({ code: await cli.exited, stderr: cli.stderr }).toEqual({ code: 3, stderr: [] });
  });

  it(`Node ${line}: the server stores what the samples play, and stops`, async () => {
    const port = String(await freePort());
    const data = join(commandDir.path, `data-${line}`);
    await using cli = run(['start', '--port', port, '--data-dir', data]);
    await cli.line(/playing \d+ sample sessions/);
    await expect.poll(() => storedIncidents(`http://localhost:${port}`)).toBeGreaterThan(0);
    expect(await cli.stop()).toBe(0);
    expect(cli.stderr).toEqual([]);
  });

  it(`Node ${line}: the libraries find a loop`, async () => {
    const file = `node-${line}.js`;
    await writeFile(
      join(libraryDir.path, file),
      `import { createSessionAnalyzer } from '@loopwatch/detectors';
      import { createGuard } from '@loopwatch/guard';
      const analyzer = createSessionAnalyzer();
      const event = { sessionId: 's', type: 'tool_call_request', name: 'ls', args: {} };
      const actions = [1, 2, 3, 4, 5].flatMap(() => [...analyzer.push(event)]).map(({ action }) => action);
      console.log(process.versions.node.split('.')[0], ...actions, typeof createGuard().tool);`,
    );
    expect(await runNode(libraryDir.path, file, node)).toBe(`${line} chance block function\n`);
  });
});

describe('the libraries, installed from their packages', () => {
  /** What an application does with them; the same in Node and in a browser. */
  const program = `
    import { eventSchema } from '@loopwatch/contract';
    import { createSessionAnalyzer } from '@loopwatch/detectors';
    import { Translator } from '@loopwatch/formats';

    const line = JSON.stringify({ sessionId: 's-1', type: 'tool_call_request', name: 'read_file', args: { path: 'a' } });
    const translator = new Translator({ format: 'auto' });
    const events = Array.from({ length: 5 }, () => translator.read(line).events).flat();
    const count = (analyzer: { push(event: (typeof events)[number]): readonly { readonly action: string }[] }) =>
      events.flatMap((event) => analyzer.push(event)).map(({ action }) => action);
    export const found: readonly (readonly string[])[] = [
      count(createSessionAnalyzer()),
      [eventSchema.parse(events[0]).type],
    ];
  `;
  const expected = [['chance', 'block'], ['tool_call_request']];
  const forNode = `${program}
    import { createGuard } from '@loopwatch/guard';
    const guard = createGuard({ mode: 'stop' });
    const read = guard.tool('read_file', (args: { path: string }) => 'same as ' + args.path);
    for (let call = 0; call < 9 && !guard.stopped; call += 1) await read({ path: 'a' });
    console.log(JSON.stringify([...found, [String(guard.stopped)]]));
  `;

  it('libraries: run in Node', async () => {
    const { code } = await transform(forNode, { loader: 'ts' });
    await writeFile(join(libraryDir.path, 'main.js'), code);
    expect(JSON.parse(await runNode(libraryDir.path, 'main.js'))).toEqual([...expected, ['true']]);
  });

  it('libraries: change nothing that other modules see when they are loaded', async () => {
    await writeFile(
      join(libraryDir.path, 'effects.js'),
      `const globals = { globalThis, ...Object.fromEntries(Object.getOwnPropertyNames(globalThis).map((name) => [name, globalThis[name]?.prototype ?? {}])) };
      const seen = () => Object.entries(globals).flatMap(([name, owner]) => Reflect.ownKeys(owner).map((key) => name + '.' + String(key)));
      // The settings that every copy of zod shares.
      await import('zod');
      const before = new Set(seen());
      for (const name of ${JSON.stringify(libraries)}) await import(name);
      console.log(JSON.stringify(seen().filter((key) => !before.has(key))));`,
    );
    expect(JSON.parse(await runNode(libraryDir.path, 'effects.js'))).toEqual([]);
  });

  it.each(['nodenext', 'bundler'])('libraries: have types with module resolution %s', async (resolution) => {
    await writeFile(join(libraryDir.path, 'main.ts'), forNode);
    await writeFile(join(libraryDir.path, 'wrong.ts'), `${forNode}\ncreateSessionAnalyzer({ preset: 5 });`);
    const errors = await compile(libraryDir.path, ['main.ts', 'wrong.ts'], resolution);
    expect(errors).toMatch(/^wrong\.ts\S+ error TS2322: .*\n$/);
  });

  it('libraries: give the same verdicts in a browser when bundled by esbuild or Vite', async () => {
    await writeFile(join(libraryDir.path, 'page.ts'), program);
    const bundled = await esbuild({
      absWorkingDir: libraryDir.path,
      entryPoints: ['page.ts'],
      bundle: true,
      write: false,
      format: 'iife',
      globalName: 'esbuilt',
      platform: 'browser',
    });
    await vite({
      root: libraryDir.path,
      configFile: false,
      logLevel: 'error',
      build: {
        minify: false,
        lib: { entry: 'page.ts', formats: ['iife'], name: 'vitebuilt', fileName: () => 'page.js' },
      },
    });
    const scripts = [
      bundled.outputFiles[0]?.text ?? '',
      await readFile(join(libraryDir.path, 'dist/page.js'), 'utf8'),
    ];
    const browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] });
    try {
      const page = await browser.newPage();
      for (const content of scripts) await page.addScriptTag({ content });
      const found = await page.evaluate<unknown>('[esbuilt.found, vitebuilt.found]');
      expect(found).toEqual([expected, expected]);
    } finally {
      await browser.close();
    }
  });
});
