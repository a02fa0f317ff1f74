import { chmod, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { spawnCli } from '@loopwatch/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { claudeLoop, folderOf } from '../scan/histories.ts';

/** Starting a process is slow on a busy machine. */
const TIMEOUT = 60_000;

function scan(home: string, ...args: string[]) {
  return scanBy(process.execPath, home, ...args);
}

async function scanBy(node: string, home: string, ...args: string[]) {
  const env = { HOME: home, CLAUDE_CONFIG_DIR: '', KAFKA_BROKERS: '' };
  const cli = spawnCli(['scan', ...args], env, { node });
  onTestFinished(() => cli[Symbol.asyncDispose]());
  const code = await cli.exited;
  return { code, stdout: cli.stdout, stderr: cli.stderr };
}

describe('loopwatch scan', { timeout: TIMEOUT }, () => {
  it('scan: reports the loops in the histories of this machine, exits with 3, and writes the page', async () => {
    const home = await folderOf({ '.claude/projects/-w/a.jsonl': claudeLoop('a', 6) });
    const page = join(home, 'report.html');
    const ended = await scan(home, '--html', page);
    expect(ended).toMatchObject({ code: 3, stderr: [`Report written to ${page}`] });
    expect(ended.stdout.join('\n')).toMatch(/1 loop in 1 of \d+ sessions?\n *6 wasted calls, 6\.09k tokens/);
    expect(await readFile(page, 'utf8')).toMatch(/<h1>.*1 loop in 1 of \d+ sessions?<\/h1>/);
  });

  it('scan: finds the histories of all agents, and says what it read of each', async () => {
    const at = { timestamp: '2026-11-01T10:00:00.000Z' };
    const lines = (calls: number) => [
      { ...at, type: 'session', version: 3, id: 's', cwd: '/w' },
      ...Array.from({ length: calls }, (_, i) => ({
        ...at,
        type: 'message',
        id: `a${String(i)}`,
        parentId: null,
        message: {
          role: 'assistant',
          content: [{ type: 'toolCall', id: String(i), name: 'ls', arguments: { i } }],
        },
      })),
    ];
    const chat = [
      { role: 'user', content: 'look' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'Shell:0', type: 'function', function: { name: 'Shell', arguments: '{}' } }],
      },
    ];
    const home = await folderOf({
      '.openclaw/agents/main/sessions/s.jsonl': lines(2),
      '.openclaw/agents/main/sessions/other.jsonl': [{ some: 'thing' }],
      '.pi/agent/sessions/--w--/20261101_p.jsonl': lines(1).map((line) => ({ ...line, id: 'p' })),
      '.kimi/sessions/w/k1/context.jsonl': chat,
      '.kimi-code/sessions/wd_w_1/session_k2/agents/main/wire.jsonl': [
        {
          type: 'context.append_loop_event',
          event: { type: 'tool.call', uuid: 'c', stepUuid: 's', toolCallId: 'c', name: 'Bash', args: {} },
          time: 1_795_954_923_000,
        },
      ],
      '.vibe/logs/session/session_v1/messages.jsonl': chat,
      '.config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/c1/api_conversation_history.json':
        JSON.stringify(chat),
      '.cursor/projects/w/agent-transcripts/u/u.jsonl': [
        { role: 'assistant', message: { content: [{ type: 'tool_use', name: 'ls', input: {} }] } },
      ],
    });
    const ended = await scan(home, '--json');
    expect(ended).toMatchObject({ code: 0, stderr: [] });
    const { stores } = JSON.parse(ended.stdout.join('\n')) as { stores: { agent: string }[] };
    const one = { files: 1, skippedFiles: 0, sessions: 1, calls: 1 };
    expect(stores.toSorted((a, b) => a.agent.localeCompare(b.agent))).toEqual([
      { ...one, agent: 'Cline' },
      { ...one, agent: 'Cursor' },
      { ...one, agent: 'Kimi CLI' },
      { ...one, agent: 'Kimi Code' },
      { ...one, agent: 'Mistral Vibe' },
      { ...one, agent: 'OpenClaw', skippedFiles: 1, calls: 2 },
      { ...one, agent: 'pi' },
    ]);
  });

  it('scan --json: writes one JSON document', async () => {
    const folder = await folderOf({ 'a.jsonl': claudeLoop('a', 1) });
    const ended = await scan(folder, folder, '--json');
    expect(ended).toMatchObject({ code: 0, stderr: [] });
    expect(JSON.parse(ended.stdout.join('\n'))).toMatchObject({ v: 1, sessions: 1, loops: 0 });
  });

  it('scan --open: says that there is nothing to open without loops', async () => {
    const folder = await folderOf({ 'a.jsonl': claudeLoop('a', 1) });
    expect(await scan(folder, folder, '--open')).toMatchObject({
      code: 0,
      stderr: ['There are no loops to open in the dashboard'],
    });
  });

  it('scan: exits with 2 when there is nothing to evaluate, and lists the searched folders', async () => {
    const home = await folderOf({ 'a.jsonl': [{ type: 'summary', summary: 'x', leafUuid: 'y' }] });
    const nowhere = await scan(home);
    expect(nowhere.code).toBe(2);
    const said = nowhere.stderr.join('\n');
    expect(said).toContain(join(home, '.claude/projects'));
    expect(said).toContain('the projects of Crush');
    const columns = nowhere.stderr.filter((line) => line.startsWith('  ')).map((line) => line.indexOf('/'));
    expect(new Set(columns).size).toBe(1);
    const nothing = await scan(home, join(home, 'a.jsonl'));
    expect(nothing.code).toBe(2);
    expect(nothing.stderr.join('\n')).toContain('nothing to evaluate');
    const old = await scan(home, home, '--since', '2100-01-01');
    expect(old.stderr.join('\n')).toContain(
      'no files found that were written since 2100-01-01T00:00:00.000Z',
    );
    expect(nothing.stdout.join('\n')).not.toContain('No loops');
  });

  it('scan --html: leaves the earlier page and nothing else when the disk is full', async () => {
    // A limit of file sizes fails writes as a full disk does, once its signal is ignored.
    const ignore = 'data:text/javascript,process.on("SIGXFSZ",()=>{})';
    const folder = await folderOf({
      'a.jsonl': claudeLoop('a', 6),
      'report.html': 'earlier',
      limited: `#!/bin/sh\nulimit -f 1\nexec '${process.execPath}' --import '${ignore}' "$@"\n`,
    });
    const [page, limited] = [join(folder, 'report.html'), join(folder, 'limited')];
    await chmod(limited, 0o755);
    const ended = await scanBy(limited, folder, join(folder, 'a.jsonl'), '--html', page);
    expect(ended).toMatchObject({ code: 2, stderr: [expect.stringMatching(/^--html .*: EFBIG/)] });
    expect(await readFile(page, 'utf8')).toBe('earlier');
    expect((await readdir(folder)).toSorted()).toEqual(['a.jsonl', 'limited', 'report.html']);
  });

  it('scan --html -: writes the page to stdout, and nothing else there', async () => {
    const folder = await folderOf({ 'a.jsonl': claudeLoop('a', 6) });
    const ended = await scan(folder, folder, '--html', '-');
    expect(ended).toMatchObject({ code: 3, stderr: [] });
    expect(ended.stdout[0]).toBe('<!doctype html>');
    expect(ended.stdout.at(-1)).toBe('</html>');
    const both = await scan(folder, folder, '--html', '-', '--json');
    expect(both).toMatchObject({ code: 2, stdout: [] });
    expect(both.stderr).toEqual(['--html - and --json both write to stdout: name a file for the page']);
  });

  it.each([
    ['none/report.html', /^--html .*: there is no folder /],
    ['.', /^--html .*: it is a folder; name a file in it$/],
  ])('scan --html %s: is refused before the scan', async (page, fault) => {
    const folder = await folderOf({ 'a.jsonl': claudeLoop('a', 6) });
    const ended = await scan(folder, folder, '--html', join(folder, page));
    expect(ended).toMatchObject({ code: 2, stdout: [] });
    expect(ended.stderr).toEqual([expect.stringMatching(fault)]);
  });

  it.each(['soon', '30', '7', 'last 7', '2026-02-30'])(
    'scan: rejects --since %s with the expected form',
    async (since) => {
      const ended = await scan('/nowhere', '--since', since);
      expect(ended.code).toBe(2);
      expect(ended.stderr.join('\n')).toContain('30d, 12h, 2w or a date');
    },
  );
});
