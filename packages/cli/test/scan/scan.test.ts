import { chmod, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { detectionSchema } from '@loopwatch/contract';
import { zstdFrame } from '@loopwatch/testkit';
import { describe, expect, it } from 'vitest';
import { BadLines } from '../../src/events/bad-lines.ts';
import { findSourcesAt } from '../../src/scan/find-sources.ts';
import { Scan } from '../../src/scan/scan.ts';
import { claudeLoop, folderOf, unprivileged } from './histories.ts';

async function scanned(
  files: Parameters<typeof folderOf>[0],
  names = [''],
  settings: Parameters<typeof detectionSchema.parse>[0] = {},
) {
  return scannedFolder(await folderOf(files), names, settings);
}

async function scannedFolder(
  folder: string,
  names = [''],
  settings: Parameters<typeof detectionSchema.parse>[0] = {},
  onFound = () => Promise.resolve(),
) {
  const reported: string[] = [];
  const bad = new BadLines((text) => reported.push(text));
  const scan = new Scan({
    settings: detectionSchema.parse(settings),
    format: 'auto',
    bad,
    onProgress: () => undefined,
  });
  const paths = names.map((name) => join(folder, name));
  const sources = findSourcesAt(paths, 0, bad);
  await onFound();
  for (const source of sources) await scan.read(source);
  return { report: scan.report(1), reported: reported.map((text) => text.replace(`${folder}/`, '').trim()) };
}

const codexLoop = [
  { timestamp: '2026-11-02T10:00:00Z', type: 'session_meta', payload: { id: 'c', cli_version: '1' } },
  ...Array.from({ length: 5 }, (_, i) => [
    {
      timestamp: '2026-11-02T10:00:01Z',
      type: 'response_item',
      payload: {
        type: 'function_call',
        name: 'exec_command',
        call_id: String(i),
        arguments: '{"cmd":"npm test"}',
      },
    },
    {
      timestamp: '2026-11-02T10:00:02Z',
      type: 'response_item',
      payload: {
        type: 'function_call_output',
        call_id: String(i),
        output: `Chunk ID: ${String(i)}fa9c1\nWall time: 0.1${String(i)} seconds\nProcess exited with code 1\nOriginal token count: 9\nOutput:\nno tests`,
      },
    },
  ]).flat(),
];

describe('Scan', () => {
  it.each([
    [{}, 'Deploy with DB_PASSWORD=‹masked› and ‹masked› now'],
    [{ privacy: { mask: ['Deploy'] } }, '‹masked› with DB_PASSWORD=‹masked› and ‹masked› now'],
    [{ privacy: { store_text: false } }, null],
  ])('a prompt is shown as privacy allows: %j', async (settings, prompt) => {
    const events = [
      { type: 'prompt_started', text: `Deploy with DB_PASSWORD=hunter2xQ9\nand sk-${'a1B2'.repeat(8)} now` },
      ...Array.from({ length: 5 }, () => ({ type: 'tool_call_request', name: 'read', args: { path: 'a' } })),
    ].map((event) => ({ sessionId: 's', ...event }));
    const { report } = await scanned({ 'a.jsonl': events }, undefined, settings);
    expect(report.worst).toMatchObject([{ prompt }]);
  });

  it('scan: reports the usage of the loops of all agents, worst first', async () => {
    const { report } = await scanned({
      'a.jsonl': claudeLoop('a', 6),
      'b.jsonl': codexLoop,
      'c.jsonl': claudeLoop('c', 11),
    });
    expect(report).toMatchObject({
      files: 3,
      sessions: 3,
      sessionsWithLoops: 3,
      loops: 3,
      agents: { 'claude-code': 2, codex: 1 },
      // 10 tokens of input, 1,000 from the cache and 5 of output in each turn of Claude Sonnet 4.5.
      used: {
        calls: 22,
        tokens: 17 * 1015,
        usd: expect.closeTo(17 * (10 * 3 + 1000 * 0.3 + 5 * 15) * 1e-6, 9),
      },
      withoutPrice: [],
      wasted: { calls: 22 },
      byDetector: { 'tool-repeat': { loops: 3, calls: 22 } },
      faults: 0,
    });
    expect(report.worst.map(({ sessionId, count }) => [sessionId, count])).toEqual([
      ['c', 11],
      ['a', 6],
      ['c', 5],
    ]);
    expect(report.worst[0]).toMatchObject({
      model: 'claude-sonnet-4-5',
      reason: expect.stringContaining('was called 11 times in a row'),
    });
  });

  it('scan: counts the copied history of a resumed session once', async () => {
    const original = claudeLoop('a', 6);
    const resumed = original.map((record) => ({ ...record, sessionId: 'b' }));
    const { report } = await scanned({ 'a.jsonl': original, 'b.jsonl': resumed });
    expect(report).toMatchObject({ sessions: 1, loops: 1, wasted: { calls: 6 } });
    // The turns' ends are made of the records, too.
    expect(report.duplicates).toBe(24);
  });

  it('scan: counts a fork once whose copies have other ids, and a file once that two folders hold', async () => {
    const original = claudeLoop('a', 6);
    const forked = (original as { uuid: string }[]).map((record) => {
      const forkedFrom = { sessionId: 'a', messageUuid: record.uuid };
      return { ...record, uuid: `b-${record.uuid}`, sessionId: 'b', forkedFrom };
    });
    const files = { 'a.jsonl': original, 'b.jsonl': forked, 'backup/a.jsonl': original };
    const { report } = await scanned(files);
    expect(report).toMatchObject({ sessions: 1, loops: 1, wasted: { calls: 6 }, duplicates: 48 });
  });

  it('scan: analyzes each session of a file separately, also sub-agents', async () => {
    const sub = claudeLoop('a', 4, 'x').map((record) => ({ ...record, isSidechain: true, agentId: 'x' }));
    const { report } = await scanned({ 'a.jsonl': [...claudeLoop('a', 2), ...sub] });
    expect(report).toMatchObject({ sessions: 2, sessionsWithLoops: 1 });
    expect(report.worst).toMatchObject([{ sessionId: 'a/x', count: 4 }]);
  });

  it('scan: names the sessions of Kimi Code and their sub-agents by their folders, and counts forks once', async () => {
    const time = 1_795_954_923_000;
    const agent = (name: string, calls: number) => [
      { type: 'metadata', protocol_version: '1.5', created_at: time },
      { type: 'profile.bind', environmentDisclosure: { cwd: '/home/me/proj' }, time },
      ...Array.from({ length: calls }, (_, i) => String(i)).flatMap((i) => {
        const event = (more: object) => ({ type: 'context.append_loop_event', event: more, time });
        return [
          event({ type: 'step.begin', uuid: `${name}${i}`, turnId: '0' }),
          event({ type: 'tool.call', uuid: `c${i}`, toolCallId: i, name: 'Read', args: { path: 'a.txt' } }),
          event({ type: 'tool.result', parentUuid: `c${i}`, toolCallId: i, result: { output: 'hello' } }),
        ];
      }),
    ];
    const main = agent('main', 6);
    const { report } = await scanned({
      'wd_proj/session_1/agents/main/wire.jsonl': main,
      'wd_proj/session_1/agents/agent-0/wire.jsonl': agent('sub', 4),
      'wd_proj/session_2/agents/main/wire.jsonl': [...main, { type: 'forked', agentId: 'main', time }],
    });
    expect(report).toMatchObject({ sessions: 2, loops: 2, faults: 0, agents: { 'kimi-code': 2 } });
    expect(report.worst.map(({ sessionId, count, project }) => [sessionId, count, project])).toEqual([
      [expect.stringMatching(/^session_[12]$/), 6, 'proj'],
      ['session_1/agent-0', 4, 'proj'],
    ]);
  });

  it.each([
    ['a folder', ['']],
    ['files, one of which cannot be read', ['logs.jsonl', 'traces.jsonl', 'broken.json.gz']],
  ])(
    'scan: reads spans and log records of one trace in several files as one session: %s',
    async (_, names) => {
      const of = { traceId: '0'.repeat(31), spanId: '1', name: 'chat' };
      const pair = (key: string, value: string) => ({ key, value: { stringValue: value } });
      const calls = [1, 2, 3, 4, 5, 6].map((i) => ({
        ...of,
        spanId: String(i),
        timeUnixNano: `${String(1_795_449_636_000 + 1000 * i)}000000`,
        eventName: 'gen_ai.choice',
        body: {
          stringValue: JSON.stringify({
            message: {
              tool_calls: [
                { id: `c${String(i)}`, function: { name: 'read_file', arguments: '{"path":"a"}' } },
              ],
            },
          }),
        },
      }));
      const span = {
        ...of,
        startTimeUnixNano: '1795449636000000000',
        attributes: [pair('gen_ai.operation.name', 'invoke_agent'), pair('gen_ai.conversation.id', 'conv-1')],
      };
      const { report } = await scanned(
        {
          'broken.json.gz': 'no gzip',
          'logs.jsonl': calls.map((log) => ({ resourceLogs: [{ scopeLogs: [{ logRecords: [log] }] }] })),
          'traces.jsonl': [{ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }],
        },
        names,
      );
      expect(report).toMatchObject({ sessions: 1, used: { calls: 6 }, loops: 1 });
      expect(report.worst).toMatchObject([{ sessionId: 'conv-1' }]);
    },
  );

  it('scan: reads the rollouts that Codex compressed', async () => {
    const lines = codexLoop.map((record) => `${JSON.stringify(record)}\n`).join('');
    const packed = zstdFrame(Buffer.from(lines));
    const { report } = await scanned({
      'rollout-c.jsonl.zst': packed,
      'rollout-d.jsonl.gz': gzipSync(lines.replace('"c"', '"d"')),
    });
    expect(report).toMatchObject({ sessions: 2, loops: 2, faults: 0, agents: { codex: 2 } });
  });

  it('scan: skips files of unknown format in folders, but reports them when named', async () => {
    const files = { 'a.jsonl': claudeLoop('a', 1), 'index.json': '{"version":1,"entries":[]}' };
    const folder = await scanned(files);
    expect(folder.report).toMatchObject({ sessions: 1, skippedFiles: 1, faults: 0 });
    expect(folder.report.firstSkipped).toMatch(/index\.json$/);
    expect(folder.reported).toEqual([]);
    const named = await scanned(files, ['a.jsonl', 'index.json']);
    expect(named.report).toMatchObject({ skippedFiles: 0, faults: 1 });
    expect(named.reported).toEqual([
      expect.stringMatching(/^index\.json:1: the record matches no known format/),
    ]);
  });

  it('scan: counts a file once that several paths lead to, and reports it as named', async () => {
    const events = Array.from({ length: 5 }, () => ({
      sessionId: 's',
      type: 'tool_call_request',
      name: 'read',
      args: { path: 'a' },
    }));
    const files = { 'a/b/c.jsonl': events, 'a/index.json': '{"version":1,"entries":[]}' };
    for (const names of [
      ['a', 'a/b'],
      ['a/b/c.jsonl', 'a'],
      ['a', 'a/../a/', 'a/b/c.jsonl', 'a/b/c.jsonl'],
    ]) {
      const { report } = await scanned(files, names);
      expect(report, String(names)).toMatchObject({ files: 2, sessions: 1, loops: 1, wasted: { calls: 5 } });
    }
    expect(await scanned(files, ['a', 'a/index.json'])).toMatchObject({
      report: { files: 2, faults: 1 },
      reported: [expect.stringMatching(/^a\/index\.json:1: /)],
    });
  });

  it('scan: reports the files and folders in a folder that it may not read, and reads the others', async () => {
    const files = { 'a.jsonl': claudeLoop('a', 6), 'b.jsonl': claudeLoop('b', 6), 'c/c.jsonl': [{}] };
    const folder = await folderOf(files);
    // The folder of all temporary ones is private, too.
    await Promise.all([
      chmod(dirname(folder), 0o711),
      chmod(folder, 0o755),
      chmod(`${folder}/b.jsonl`, 0),
      chmod(`${folder}/c`, 0),
    ]);
    const { report, reported } = await unprivileged(() => scannedFolder(folder));
    expect(report).toMatchObject({ files: 2, sessions: 1, loops: 1, skippedFiles: 0, faults: 2 });
    expect(reported.toSorted()).toEqual(['b.jsonl: permission denied', 'c: permission denied']);
    await chmod(`${folder}/c`, 0o755);
  });

  it('scan: leaves out files and folders that were removed after they were found', async () => {
    const folder = await folderOf({ 'a.jsonl': claudeLoop('a', 6), 'b.jsonl': claudeLoop('b', 6) });
    const { report, reported } = await scannedFolder(folder, [''], {}, () => rm(`${folder}/b.jsonl`));
    expect(report).toMatchObject({ files: 1, sessions: 1, skippedFiles: 0, faults: 0 });
    expect(reported).toEqual([]);
  });

  it('scan: reports a broken line, except the last one, which may be unfinished', async () => {
    const lines = claudeLoop('a', 2).map((record) => JSON.stringify(record));
    const { report, reported } = await scanned({
      'a.jsonl': [lines[0], '{"broken', ...lines.slice(1), '{"type":"assis'].join('\n'),
    });
    expect(report.faults).toBe(1);
    expect(reported).toEqual([expect.stringMatching(/^a\.jsonl:2: .*JSON/)]);
  });
});
