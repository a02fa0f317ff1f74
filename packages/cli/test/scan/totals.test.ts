import { readdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { detectionSchema } from '@loopwatch/contract';
import { expect, it } from 'vitest';
import { BadLines } from '../../src/events/bad-lines.ts';
import { findSourcesAt } from '../../src/scan/find-sources.ts';
import { Scan } from '../../src/scan/scan.ts';
import type { ScanReport } from '../../src/scan/scan-report.ts';
import { folderOf } from './histories.ts';
import { countClaudeCode } from './independent-count.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const start = Date.UTC(2026, 10, 1, 10);

type Records = readonly Readonly<Record<string, unknown>>[];

/** Turns of a session, each with one call and its result, a minute apart. */
function turns(sessionId: string, from: number, count: number, at: number, path = 'same'): Records {
  return Array.from({ length: count }, (_, i) => {
    const id = `${sessionId}-${String(from + i)}`;
    const timestamp = new Date(start + at + i * MINUTE).toISOString();
    const usage = { input_tokens: 100 + i, cache_read_input_tokens: 2000, output_tokens: 7 };
    const file = path === 'same' ? '/w/a.ts' : `/w/${path}-${String(from + i)}.ts`;
    const use = { type: 'tool_use', id: `t${id}`, name: 'Read', input: { file_path: file } };
    const result = { type: 'tool_result', tool_use_id: `t${id}`, content: 'No such file.', is_error: true };
    const message = { id: `m${id}`, role: 'assistant', model: 'claude-sonnet-4-5', content: [use], usage };
    const common = { sessionId, timestamp, cwd: '/w' };
    return [
      { ...common, type: 'assistant', uuid: `a${id}`, message },
      {
        ...common,
        type: 'user',
        uuid: `r${id}`,
        parentUuid: `a${id}`,
        message: { role: 'user', content: [result] },
      },
    ];
  }).flat();
}

const prompt = (sessionId: string, at: number, text = 'Fix it.') => ({
  type: 'user',
  uuid: `p-${sessionId}-${String(at)}`,
  sessionId,
  timestamp: new Date(start + at).toISOString(),
  message: { role: 'user', content: text },
});
const renamed = (records: Records, sessionId: string): Records =>
  records.map((record) => ({ ...record, sessionId }));
const sidechain = (records: Records, agentId: string): Records =>
  records.map((record) => ({ ...record, isSidechain: true, agentId }));
/** The text of a response in a record of its own, with the usage of the whole response, as Claude Code writes it. */
const split = (records: Records): Records =>
  records.flatMap((record) => {
    const message = record['message'] as { readonly role: string };
    if (message.role !== 'assistant') return [record];
    const text = { ...message, content: [{ type: 'text', text: 'Next.' }] };
    return [{ ...record, uuid: `${String(record['uuid'])}-text`, message: text }, record];
  });

const unpriced = (records: Records): Records =>
  records.map((record) => {
    const message = record['message'] as object;
    return { ...record, message: { ...message, ...('model' in message && { model: 'unknown-1' }) } };
  });

const base = [prompt('a', 0), ...turns('a', 0, 13, MINUTE)];
const resumed = [...renamed(base, 'b'), ...turns('b', 13, 6, 3 * HOUR)];
const compacted = {
  type: 'system',
  subtype: 'compact_boundary',
  uuid: 'compact',
  sessionId: 'a',
  timestamp: new Date(start + 20 * MINUTE).toISOString(),
  content: 'Conversation compacted',
};

const histories: Readonly<Record<string, Readonly<Record<string, Records>>>> = {
  'one session without a pause': { 'a.jsonl': base },
  'a loop with a pause of 61 minutes in it': {
    'a.jsonl': [...turns('a', 0, 40, 0), ...turns('a', 40, 3, 101 * MINUTE)],
  },
  'a session over three days': {
    'a.jsonl': [0, 1, 2].flatMap((day) => [
      prompt('a', day * 24 * HOUR),
      ...turns('a', day * 10, 10, day * 24 * HOUR + MINUTE, 'day'),
    ]),
  },
  'several pauses, loops and work by turns': {
    'a.jsonl': [0, 1, 2, 3].flatMap((n) =>
      turns('a', n * 12, 12, n * 5 * HOUR, n % 2 === 0 ? 'same' : 'work'),
    ),
  },
  'a resumed copy after its original': { 'a.jsonl': base, 'b.jsonl': resumed },
  'a resumed copy before its original': { 'a.jsonl': resumed, 'b.jsonl': base },
  'a copy of a copy, all in reverse order': {
    'a.jsonl': [...renamed(resumed, 'c'), ...turns('c', 19, 4, 9 * HOUR)],
    'b.jsonl': resumed,
    'c.jsonl': base,
  },
  'two forks of one session': {
    'a.jsonl': base,
    'b.jsonl': [...renamed(base.slice(0, 11), 'b'), ...turns('b', 50, 3, 30 * MINUTE)],
    'c.jsonl': [...renamed(base.slice(0, 17), 'c'), ...turns('c', 60, 5, 2 * HOUR)],
  },
  'a session that was compacted': { 'a.jsonl': [...base, compacted, ...turns('a', 13, 5, 21 * MINUTE)] },
  'sub-agents in files of their own and in the session': {
    'a.jsonl': [
      ...base,
      ...sidechain(turns('x', 0, 5, 15 * MINUTE), 'x').map((r) => ({ ...r, sessionId: 'a' })),
    ],
    'a/subagents/agent-y.jsonl': sidechain(turns('y', 0, 4, 2 * HOUR), 'y').map((r) => ({
      ...r,
      sessionId: 'a',
    })),
  },
  'responses in several records, with a pause': {
    'a.jsonl': split([...base, ...turns('a', 13, 4, 4 * HOUR)]),
  },
  'a loop over midnight': { 'a.jsonl': [prompt('a', 0), ...turns('a', 0, 13, 14 * HOUR - 2 * MINUTE)] },
  'a session without a price': {
    'a.jsonl': unpriced([...base, ...turns('a', 13, 4, 30 * HOUR)]),
    'b.jsonl': turns('b', 0, 3, 0, 'work'),
  },
  'the same file twice': { 'a.jsonl': base, 'copy/a.jsonl': base },
};

async function scanned(folder: string, since = 0): Promise<ScanReport> {
  const scan = new Scan({
    settings: detectionSchema.parse({}),
    format: 'auto',
    bad: new BadLines(() => undefined),
    since,
    onProgress: () => undefined,
  });
  for (const source of findSourcesAt([folder], 0, new BadLines())) await scan.read(source);
  return scan.report(1);
}

it.each(Object.entries(histories))('scan: adds up to an independent count: %s', async (_, files) => {
  const folder = await folderOf(files);
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => join(folder, name));
  // Copied and synchronized folders lose the times of their files.
  for (const path of paths) utimesSync(path, start / 1000, start / 1000);
  const report = await scanned(folder);
  const { used, wasted } = report;
  const lines = paths.flatMap((path) => readFileSync(path, 'utf8').trimEnd().split('\n'));
  expect({ calls: used.calls, tokens: used.tokens }).toEqual(countClaudeCode(lines));
  expect(wasted.calls).toBeLessThanOrEqual(used.calls);
  for (const parts of [report.byAgent, report.byProject, report.byDay]) {
    const shares = Object.values(parts);
    const sum = (of: 'used' | 'wasted', amount: 'calls' | 'tokens') =>
      shares.reduce((all, share) => all + share[of][amount], 0);
    expect([sum('used', 'calls'), sum('used', 'tokens')]).toEqual([used.calls, used.tokens]);
    expect([sum('wasted', 'calls'), sum('wasted', 'tokens')]).toEqual([wasted.calls, wasted.tokens]);
    expect(shares.reduce((all, { loops }) => all + loops, 0)).toBe(report.loops);
    for (const share of shares) {
      expect(share.wasted.calls).toBeLessThanOrEqual(share.used.calls);
      expect(share.used.unpriced > 0).toBe(share.wasted.unpriced > 0);
    }
  }
});

it.each([
  [0, { sessions: 2, earlierSessions: 0, loops: 3, calls: 39 }],
  [start + 10 * HOUR, { sessions: 1, earlierSessions: 1, loops: 2, calls: 26 }],
  [start + 40 * HOUR, { sessions: 1, earlierSessions: 1, loops: 1, calls: 13 }],
  [start + 90 * HOUR, { sessions: 0, earlierSessions: 2, loops: 0, calls: 0 }],
])('scan: counts what happened since %i, whenever files were written', async (since, expected) => {
  const folder = await folderOf({
    'old.jsonl': turns('old', 0, 13, 0),
    'resumed.jsonl': [...turns('a', 0, 13, 24 * HOUR), ...turns('a', 13, 13, 50 * HOUR)],
  });
  const report = await scanned(folder, since);
  const { sessions, earlierSessions, loops, used, byDay } = report;
  expect({ sessions, earlierSessions, loops, calls: used.calls }).toEqual(expected);
  expect(Object.keys(byDay).every((day) => Date.parse(day) + 24 * HOUR > since)).toBe(true);
});
