import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { blocksCheckedBy, root } from '@loopwatch/testkit/documented';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { commandFile, version } from '../../src/runtime/installation.ts';
import { claudeLoop, folderOf } from '../scan/histories.ts';

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: {
    readonly steps: readonly { readonly run: string; readonly env: Readonly<Record<string, string>> }[];
  };
}

const action = parse(readFileSync(join(root, 'action.yml'), 'utf8')) as Action;

/** Runs the step of the action as a runner does: with its files, its variables, and its flags for bash. */
async function runAction(folder: string, inputs: Readonly<Record<string, string>>) {
  const tools = await folderOf({
    npx: `#!/bin/sh\n[ "$1 $2" = "-y loopwatch@${version}" ] || exit 127\nshift 2\nexec "${process.execPath}" "${commandFile}" "$@"\n`,
    output: '',
    summary: '',
    script: action.runs.steps[0]?.run ?? 'exit 1',
  });
  await chmod(join(tools, 'npx'), 0o755);
  const valueOf = (expression: string): string => {
    const [, name = ''] = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(expression) ?? [];
    return inputs[name] ?? action.inputs[name]?.default ?? `no input ${name}`;
  };
  const variables = Object.entries(action.runs.steps[0]?.env ?? {});
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', join(tools, 'script')], {
    cwd: folder,
    env: {
      HOME: folder,
      PATH: `${tools}:${process.env['PATH'] ?? ''}`,
      GITHUB_ACTION_PATH: root,
      GITHUB_OUTPUT: join(tools, 'output'),
      GITHUB_STEP_SUMMARY: join(tools, 'summary'),
      RUNNER_TEMP: tools,
      ...Object.fromEntries(variables.map(([name, expression]) => [name, valueOf(expression)])),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    child.exitCode === null ? once(child, 'close') : undefined,
  ]);
  const read = (name: string) => readFile(join(tools, name), 'utf8');
  return {
    status: child.exitCode,
    annotations: stdout.split('\n').filter((line) => line.startsWith('::')),
    stderr,
    output: await read('output'),
    summary: await read('summary'),
  };
}

const looping = { '.claude/projects/-w/loop.jsonl': claudeLoop('loop', 6) };
const oneCall = claudeLoop('fine', 1);

describe('GitHub Action', () => {
  it('fails the job on loops in the histories of the runner, and says what looped', async () => {
    const folder = await folderOf(looping);
    const { status, annotations, output, summary } = await runAction(folder, {});
    expect(status).toBe(1);
    expect(annotations).toEqual([
      expect.stringMatching(
        /^::error title=claude-code looped in session loop::Read \{.*\} was called 6 times in a row and failed/,
      ),
    ]);
    expect(output).toMatch(/^loops=1\nwasted-usd=0\.\d+\n$/);
    expect(summary).toMatch(/^### Loopwatch: 1 loop in 1 of 1 session\n\n6 calls of 6, /);
    expect(summary).toMatch(
      /^\| Read .*\\\/w\\\/missing\\\.ts.* \| loop \| claude\\-code \| 6 \| <\$0\.01 \|$/m,
    );
  });

  it('only warns with fail-on-loops: false', async () => {
    const { status, annotations } = await runAction(await folderOf(looping), { 'fail-on-loops': 'false' });
    expect(status).toBe(0);
    expect(annotations).toEqual([expect.stringMatching(/^::warning title=/)]);
  });

  it('passes without loops, and reads the files and folders that are named, with any names', async () => {
    const folder = await folderOf({ ...looping, 'a b/fine.jsonl': oneCall, '-fine.jsonl': oneCall });
    const { status, annotations, output, summary } = await runAction(folder, {
      path: 'a b\n-fine.jsonl\n',
      html: 'report.html',
    });
    expect({ status, annotations, output, summary }).toEqual({
      status: 0,
      annotations: [],
      output: 'loops=0\nwasted-usd=0\n',
      summary: '### Loopwatch: no loops in 1 session\n',
    });
    expect(await readFile(join(folder, 'report.html'), 'utf8')).toContain('No loops');
  });

  it('tells a job without a session since then from one without loops', async () => {
    const old = { '.claude/projects/-w/old.jsonl': claudeLoop('old', 6) };
    const { status, output, summary } = await runAction(await folderOf(old), { since: '1m' });
    expect({ status, output, summary }).toEqual({
      status: 0,
      output: 'loops=0\nwasted-usd=0\n',
      summary: '### Loopwatch: no session to evaluate\n',
    });
  });

  it.each([
    ['no transcripts', {}, {}, 2, /no agent histories found/],
    ['an unknown preset', looping, { preset: 'none' }, 2, /preset/],
    ['an invalid time', looping, { since: 'soon' }, 2, /Expected 30d, 12h/],
    ['a path that does not exist', looping, { path: 'absent.jsonl' }, 2, /absent\.jsonl/],
    ['a version that cannot be installed', looping, { version: '99' }, 127, /^$/],
  ])('fails with the reason for %s', async (_, files, inputs, expected, reason) => {
    const { status, annotations, stderr } = await runAction(await folderOf(files), inputs);
    expect(status).toBe(expected);
    expect(annotations).toEqual([
      `::error title=Loopwatch::loopwatch scan ended with ${String(expected)}; its output above says why`,
    ]);
    expect(stderr).toMatch(reason);
  });

  it('shows texts of transcripts as they are: they are neither commands nor markup', async () => {
    const evil = { file_path: '/w/\n::error::x | <b> [a](b) 100%' };
    const folder = await folderOf({});
    const records = JSON.stringify(claudeLoop('evil', 6)).replaceAll(
      JSON.stringify({ file_path: '/w/missing.ts' }),
      JSON.stringify(evil),
    );
    await writeFile(join(folder, 'evil.jsonl'), records);
    const { annotations, summary } = await runAction(folder, { path: 'evil.jsonl' });
    expect(annotations).toHaveLength(1);
    expect(annotations[0]).toContain('100%25');
    expect(summary).toContain('\\:\\:error\\:\\:x \\| \\<b\\> \\[a\\]\\(b\\) 100\\%');
    expect(summary.trim().split('\n')).toHaveLength(7);
  });

  it('is documented with inputs that it has, and runs the version that it is released with', () => {
    const [block] = blocksCheckedBy(import.meta.url);
    const { steps } = parse(block?.text ?? '') as {
      steps: readonly { uses?: string; with?: object; if?: string }[];
    };
    const [used] = steps.filter(({ uses }) => uses?.startsWith('loopwatch/loopwatch@'));
    expect(Object.keys(used?.with ?? {}).filter((name) => !(name in action.inputs))).toEqual([]);
    expect(used?.uses).toBe(`loopwatch/loopwatch@v${version}`);
    expect(action.inputs['version']?.default).toBe(version);
  });
});
