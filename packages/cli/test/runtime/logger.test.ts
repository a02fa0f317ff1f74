import { type StdioOptions, spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const asModule = ['--input-type=module', '-e'];

/** The logger as a file of its own: compiling it in each process would take most of the time. */
const module = `${root}.cache/tests/logger-${String(process.pid)}.mjs`;
beforeAll(async () => {
  await build({
    entryPoints: [`${root}packages/cli/src/runtime/logger.ts`],
    outfile: module,
    bundle: true,
    format: 'esm',
    platform: 'node',
    conditions: ['@loopwatch/source'],
    external: ['pino', 'pino-pretty'],
  });
});
afterAll(() => rm(module));

/** What a process prints that logs one line at each level. */
function printed(
  settings: { level: string; format: string },
  fields: object = {},
  message = 'a line at',
  more: object = {},
): string {
  const program = `
    import { createLogger } from ${JSON.stringify(module)};
    const message = ${JSON.stringify(message)};
    const logger = createLogger(${JSON.stringify(settings)}, 'worker').child(${JSON.stringify(fields)});
    for (const level of ['debug', 'info', 'warn', 'error']) {
      logger[level]({ sessionId: 's-1', ...${JSON.stringify(more)} }, message === 'a line at' ? message + ' ' + level : message);
    }
  `;
  const { stdout, stderr, status } = spawnSync(process.execPath, [...asModule, program], {
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  return stdout;
}

describe('createLogger', () => {
  it('logger: writes JSON with time, level, process name and fields', () => {
    const before = Date.now();
    const lines = printed({ level: 'info', format: 'json' }).trim().split('\n');
    const parsed = lines.map((line) => JSON.parse(line) as Record<string, string>);
    expect(parsed).toMatchObject(
      ['info', 'warn', 'error'].map((level) => ({
        level,
        name: 'worker',
        sessionId: 's-1',
        msg: `a line at ${level}`,
      })),
    );
    for (const { time } of parsed) {
      expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(Date.parse(time!)).toBeGreaterThanOrEqual(before);
    }
  });

  it('logger: on a full disk, the process goes on and ends normally', () => {
    const full = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(full));
    const program = `
      import { createLogger } from ${JSON.stringify(module)};
      const logger = createLogger({ level: 'info', format: 'json' }, 'worker');
      for (let i = 0; i < 3; i += 1) {
        logger.info('a line');
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      process.exit(3);
    `;
    const stdio = ['ignore', full, 'pipe'] as StdioOptions;
    const { status, stderr } = spawnSync(process.execPath, [...asModule, program], {
      encoding: 'utf8',
      stdio,
      timeout: 30_000,
    });
    expect(status, stderr).toBe(3);
  });

  it('logger: pretty lines include the time', () => {
    const [first = '', ...more] = printed({ level: 'warn', format: 'pretty' }).trim().split('\n');
    expect(first).toMatch(/\d\d:\d\d:\d\d.*WARN.*a line at warn/);
    expect(more).toHaveLength(1);
  });

  it('logger: pretty lines show messages and errors without fields, and each tool call loop once', () => {
    const fields = { steps: [1, 2], error: 'no broker answers' };
    const [line = '', ...more] = printed({ level: 'error', format: 'pretty' }, fields).trim().split('\n');
    expect(line).toMatch(/: a line at error: no broker answers$/);
    expect(more).toEqual([]);
    const second = "Tool call loop detection: Blocked tool 'x' - 4 similar calls in 0 seconds";
    expect(printed({ level: 'error', format: 'pretty' }, {}, second)).toBe('');
    expect(printed({ level: 'error', format: 'json' }, {}, second)).toContain(second);
  });

  it.each([
    ['opened', 1],
    ['escalated', 0],
    ['resolved', 0],
  ])('logger: an %s incident takes %i pretty lines and one JSON line', (phase, lines) => {
    const count = (format: string) =>
      printed({ level: 'error', format }, {}, 'a loop', { phase }).split('\n').length - 1;
    expect([count('pretty'), count('json')]).toEqual([lines, 1]);
  });

  it('logger: pretty lines name the worker', () => {
    expect(printed({ level: 'error', format: 'pretty' }, { worker: 2 })).toMatch(
      /: worker 2: a line at error\n$/,
    );
  });

  it.each(['json', 'pretty'])('logger: %s lines control no terminal, whatever a text contains', (format) => {
    const hostile = '\u001b]0;owned\u0007\u009b31m\r\b\u202eC:\\u001b "x"';
    const lines = printed({ level: 'error', format }, {}, hostile, { error: hostile, [hostile]: 1 });
    // Pretty lines are colored on a terminal only.
    expect(lines.replace(/\n/g, '')).not.toMatch(/[\p{Cc}\u202e]/u);
    if (format === 'json') expect(JSON.parse(lines)).toMatchObject({ msg: hostile, error: hostile });
    else expect(lines).toContain(String.raw`C:\u001b "x": `);
  });
});
