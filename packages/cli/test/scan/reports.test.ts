import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { reportPage } from '../../src/scan/report-page.ts';
import { reportText } from '../../src/scan/report-text.ts';
import type { ScanReport } from '../../src/scan/scan-report.ts';

const used = { calls: 42, tokens: 3_100_000, usd: 8.4, unpriced: 0 };
const share = { sessions: 2, loops: 1, used: { calls: 90, tokens: 9, usd: 84, unpriced: 0 }, wasted: used };
const report: ScanReport = {
  v: 1,
  files: 312,
  bytes: 1_200_000_000,
  characters: 1_180_000_000,
  seconds: 40,
  sessions: 300,
  sessionsWithLoops: 1,
  earlierSessions: 0,
  agents: { 'claude-code': 290, codex: 10 },
  events: 90_000,
  duplicates: 12,
  ignored: { progress: 800, summary: 3 },
  faults: 0,
  skippedFiles: 1,
  firstSkipped: '/h/notes.json',
  stores: [{ agent: 'OpenClaw', files: 2, skippedFiles: 1, sessions: 2, calls: 5 }],
  notUnderstood: [{ file: '/h/odd.jsonl', records: 5, unknown: 4, type: 'turn' }],
  used: { calls: 20_000, tokens: 900_000_000, usd: 310, unpriced: 0 },
  loops: 1,
  wasted: used,
  byDetector: { 'tool-repeat': { loops: 1, ...used } },
  byAgent: { 'claude-code': share },
  byProject: { webapp: share, api: { ...share, loops: 0 } },
  byDay: { '2026-11-01': share, '2026-11-02': share },
  withoutPrice: ['gpt-9'],
  worst: [
    {
      sessionId: 's-1',
      file: '/h/<a>.jsonl',
      prompt: 'Fix <b>it</b>',
      project: 'webapp',
      agent: 'claude-code',
      model: 'claude-sonnet-4-5',
      tool: 'Read',
      detector: 'tool-repeat',
      kind: 'loop',
      count: 42,
      title: 'Read ×42, same result',
      reason: 'Read "<script>" was called 42 times in a row',
      time: Date.UTC(2026, 10, 1),
      cost: { calls: 42, turns: 42, characters: 0, tokens: 3_100_000, ms: 1 },
      wasted: used,
    },
  ],
};
const none: ScanReport = { ...report, loops: 0, sessionsWithLoops: 0, byDetector: {}, worst: [] };

describe('reportText', () => {
  it('terminal report: shows loops and cost first, then their sessions', () => {
    const text = reportText(report, false);
    expect(text).toContain('300 sessions scanned: 312 files, 1.2 GB in 40.0 s, 30 MB/s');
    expect(reportText({ ...report, characters: 9_000_000 }, false)).toContain('1.2 GB in 40.0 s\n');
    expect(text).toContain('claude-code 290 · codex 10 · 20,000 calls, 900M tokens, $310.00');
    expect(text).toContain(
      '  $8.40 of $310.00 wasted (3%): 1 loop in 1 of 300 sessions\n  42 wasted calls, 3.1M tokens',
    );
    expect(text).toContain('1.  $8.40 42 calls  Read ×42, same result  webapp · 2026-11-01 · Fix <b>it</b>');
    expect(text).toMatch(/webapp +\$8.40 of \$84.00 \(10%\), 1 loop in 2 sessions/);
    expect(text).toContain('Ignored, because they are irrelevant to loops: 800 progress, 3 summary');
    expect(text).toContain('No price for gpt-9');
    expect(text).not.toContain('\u001b');
  });

  it('terminal report: no line is wider than the terminal', () => {
    for (const width of [40, 72, 120])
      for (const line of reportText(report, false, width).split('\n'))
        expect(line.length).toBeLessThanOrEqual(width);
  });

  it('terminal report: takes a usual width if the terminal does not tell its own', () => {
    expect(reportText(report, false, 0)).toBe(reportText(report, false));
  });

  it('terminal report: uses colors if supported, and states when there is no loop', () => {
    const text = reportText(none, true);
    expect(text).toContain('No loops');
    expect(text).toContain('\u001b[');
    expect(text).not.toContain('--open');
  });

  it('terminal report: states when nothing was read', () => {
    expect(reportText({ ...none, events: 0 }, false)).toMatch(/^ {2}Nothing to evaluate$/m);
    expect(reportPage({ ...none, events: 0 })).toContain('<h1>Nothing to evaluate</h1>');
  });

  it('terminal report: tells sessions that --since leaves out from none', () => {
    const text = reportText({ ...none, sessions: 0, earlierSessions: 3 }, false);
    expect(text).toMatch(/^ {2}No sessions since then$/m);
    expect(text).toContain('3 sessions that ended before --since left out');
  });

  it('terminal report: names the options that show more, unless they were used', () => {
    const last = (...unused: ('open' | 'html')[]) =>
      reportText(report, false, 120, unused).trimEnd().split('\n').at(-1);
    expect(last('open', 'html')).toBe(
      '  loopwatch scan --open shows these sessions in the dashboard, --html FILE writes a page',
    );
    expect(last('open')).toBe('  loopwatch scan --open shows these sessions in the dashboard');
    expect(last()).not.toContain('--');
  });
});

describe('reportPage', () => {
  it('report page: is one file that loads nothing and escapes histories', () => {
    const page = reportPage(report);
    expect(page).toContain('<h1>$8.40 of $310.00 wasted (3%): 1 loop in 1 of 300 sessions</h1>');
    expect(page).toContain('Read &quot;&lt;script&gt;&quot; was called');
    expect(page).toContain('“Fix &lt;b&gt;it&lt;/b&gt;”');
    expect(page).toContain('/h/&lt;a&gt;.jsonl');
    expect(page).not.toMatch(/<script|<link|<img|https?:/);
    expect(page).toContain("default-src 'none'");
  });

  it.each([
    [
      ['2026-11-01', '2026-11-02'],
      ['0.0', '480.0'],
    ],
    [
      ['2026-11-01', '2026-11-02', '2026-11-04'],
      ['0.0', '240.0', '720.0'],
    ],
    [
      ['2026-01-01', '2026-11-01', '2026-11-02', 'unknown'],
      ['928.0', '944.0'],
    ],
  ])('report page: draws the bars of %j where their days are', (days, places) => {
    const page = reportPage({ ...report, byDay: Object.fromEntries(days.map((day) => [day, share])) });
    const bars = [...page.matchAll(/<rect class="used" x="([^"]+)"/g)];
    expect(bars.map(([, x]) => x)).toEqual(places);
  });

  it('report page: shortens paths in the home folder', () => {
    const file = join(homedir(), '.claude/projects/-w/s-1.jsonl');
    const atHome = { ...report, worst: report.worst.map((loop) => ({ ...loop, file })) };
    expect(reportPage(atHome)).toContain('<br>~/.claude/projects/-w/s-1.jsonl<');
  });

  it('report page: has no tables without loops', () => {
    expect(reportPage(none)).toContain('<h1>No loops</h1>');
    expect(reportPage(none)).not.toContain('<table');
  });

  it('says what was not understood first, and what was read of each agent', () => {
    const lines = reportText(report, false).split('\n');
    expect(lines[1]).toBe(
      '  /h/odd.jsonl: 4 of 5 records were not understood, most of type "turn": the result does not cover them',
    );
    expect(lines).toContain(
      '  OpenClaw: 2 sessions in 2 files, 5 calls; 1 file of unknown format was not read',
    );
    expect(lines).toContain('  1 file of unknown format skipped; see why: loopwatch scan /h/notes.json');
  });
});
