import {
  formatBytes,
  formatCompact,
  formatCount,
  formatDay,
  formatDuration,
  formatInteger,
  formatUsd,
  shortPath,
} from './format-values.ts';
import type { ScannedLoop, ScanReport } from './scan-report.ts';

const style = `
:root { color-scheme: light dark; --ink: #17191c; --soft: #5d6570; --line: #dfe3e8; --paper: #fff; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaed; --soft: #9aa3ae; --line: #30353b; --paper: #141618; --bad: #ff8a80; } }
body { margin: 0 auto; max-width: 60rem; padding: 2.5rem 1.25rem 4rem; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; } h2 { font-size: 1.05rem; margin: 2.5rem 0 .5rem; }
p { margin: .25rem 0; } .soft { color: var(--soft); } .bad { color: var(--bad); }
.figures { display: flex; flex-wrap: wrap; gap: 2.5rem; margin: 2rem 0; padding: 0; list-style: none; }
.figures strong { display: block; font-size: 1.9rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
table { border-collapse: collapse; width: 100%; } th, td { padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { font-weight: 600; color: var(--soft); } .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
code { font: 12px/1.4 ui-monospace, monospace; overflow-wrap: anywhere; color: var(--soft); }
`;

/** The report of a scan as one page that loads nothing. */
export function reportPage(report: ScanReport): string {
  const { sessions, files, bytes, seconds, loops, sessionsWithLoops, wasted } = report;
  const title =
    loops === 0
      ? 'No loops'
      : `${formatCount(loops, 'loop')} in ${formatCount(sessionsWithLoops, 'session')}`;
  const figures = [
    [formatInteger(loops), loops === 1 ? 'loop' : 'loops'],
    [formatInteger(wasted.calls), 'wasted calls'],
    [formatCompact(wasted.tokens), 'wasted tokens'],
    ...(wasted.usd > 0 ? [[formatUsd(wasted.usd), 'wasted']] : []),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(title)} · Loopwatch</title>
<style>${style}</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
<p class="soft">Loopwatch scanned ${formatCount(sessions, 'session')} (${formatCount(files, 'file')}, ${formatBytes(bytes)}) in ${formatDuration(seconds)}.</p>
<ul class="figures">${figures.map(([figure = '', name = '']) => `<li><strong>${figure}</strong>${name}</li>`).join('')}</ul>
${loops === 0 ? '' : detectorTable(report) + loopTable(report.worst)}
</body>
</html>
`;
}

function detectorTable({ byDetector }: ScanReport): string {
  const rows = Object.entries(byDetector).map(
    ([detector, { loops, calls, tokens, usd }]) =>
      `<tr><td>${escapeHtml(detector)}</td>${numberCells([formatInteger(loops), formatInteger(calls), formatCompact(tokens), moneyText(usd)])}</tr>`,
  );
  return `<h2>By detector</h2>
<table><thead><tr><th>Detector</th>${numberHeaders(['Loops', 'Calls', 'Tokens', 'Cost'])}</tr></thead>
<tbody>${rows.join('\n')}</tbody></table>
`;
}

function loopTable(worst: readonly ScannedLoop[]): string {
  const rows = worst.map(({ reason, agent, model, time, detector, sessionId, file, wasted }) => {
    const facts = [agent, model, formatDay(time), detector].filter((fact) => fact !== null).join(' · ');
    const cells = [
      formatInteger(wasted.calls),
      formatCompact(wasted.tokens ?? 0),
      moneyText(wasted.usd ?? 0),
    ];
    return `<tr><td>${escapeHtml(reason)}<br><span class="soft">${escapeHtml(facts)}</span><br><code>${escapeHtml(sessionId)}<br>${escapeHtml(shortPath(file))}</code></td>${numberCells(cells)}</tr>`;
  });
  return `<h2>The loops that cost most</h2>
<table><thead><tr><th>What was repeated</th>${numberHeaders(['Calls', 'Tokens', 'Cost'])}</tr></thead>
<tbody>${rows.join('\n')}</tbody></table>
`;
}

function numberHeaders(names: readonly string[]): string {
  return names.map((name) => `<th class="number">${name}</th>`).join('');
}

function numberCells(texts: readonly string[]): string {
  return texts.map((text) => `<td class="number">${text}</td>`).join('');
}

function moneyText(usd: number): string {
  return usd > 0 ? formatUsd(usd) : '—';
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character);
}
