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
import { headline, shareText, worstShares } from './report-text.ts';
import type { ScannedLoop, ScanReport, Share, Usage } from './scan-report.ts';

const style = `
:root { color-scheme: light dark; --bg: light-dark(oklch(98.2% .003 255), oklch(17.5% .012 262)); --panel: light-dark(#fff, oklch(20.8% .013 262)); --line: light-dark(oklch(91.5% .006 255), oklch(28% .014 262)); --ink: light-dark(oklch(24% .02 262), oklch(94% .006 262)); --soft: light-dark(oklch(47% .018 260), oklch(74% .012 262)); --hot: light-dark(oklch(53% .2 27), oklch(72% .16 27)); --used: light-dark(oklch(85% .03 262), oklch(38% .04 262)); }
* { box-sizing: border-box; } body { margin: 0 auto; max-width: 64rem; padding: 2.5rem 1.25rem 4rem; background: var(--bg); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.75rem; line-height: 1.2; letter-spacing: -.02em; margin: 0 0 .25rem; text-wrap: balance; } h2 { font-size: 1rem; margin: 0 0 .5rem; } p { margin: .25rem 0; }
.soft { color: var(--soft); font-size: .9rem; } .meter { height: .75rem; margin: 1.25rem 0; border-radius: 1rem; background: var(--used); overflow: hidden; } .meter i { display: block; height: 100%; background: var(--hot); }
.figures, section { background: var(--panel); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem 1.25rem; margin: 1rem 0; }
.figures { display: flex; flex-wrap: wrap; gap: 1rem 2.5rem; list-style: none; } .figures strong { display: block; font-size: 1.6rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
.two { display: grid; gap: 0 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); } .scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; } th, td { padding: .45rem .75rem .45rem 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top; } thead th { border-top: 0; font-size: .8rem; font-weight: 550; color: var(--soft); }
td:first-child { overflow-wrap: anywhere; } .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; padding-right: 0; padding-left: .75rem; }
code { font: 12px/1.4 ui-monospace, monospace; overflow-wrap: anywhere; color: var(--soft); } svg { display: block; width: 100%; height: auto; } svg .used { fill: var(--used); } svg .wasted { fill: var(--hot); } svg text { fill: var(--soft); font: 11px system-ui, sans-serif; }
`;

/** The report of a scan as one page that loads nothing. */
export function reportPage(report: ScanReport): string {
  const { sessions, files, bytes, seconds, loops, used, wasted } = report;
  const title = headline(report);
  const figures = [
    [formatInteger(loops), loops === 1 ? 'loop' : 'loops'],
    [formatInteger(wasted.calls), `of ${formatInteger(used.calls)} calls wasted`],
    [formatCompact(wasted.tokens), `of ${formatCompact(used.tokens)} tokens wasted`],
    ...(used.usd > 0 ? [[formatUsd(wasted.usd), `of ${formatUsd(used.usd)} wasted`]] : []),
  ];
  const [part, whole] = used.usd > 0 ? [wasted.usd, used.usd] : [wasted.calls, used.calls];
  const left =
    used.unpriced + wasted.unpriced === 0
      ? ''
      : ` Dollars leave out ${formatCount(used.unpriced, 'session')} and ${formatCount(wasted.unpriced, 'loop')} of unknown price.`;
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
<p class="soft">Loopwatch scanned ${formatCount(sessions, 'session')} (${formatCount(files, 'file')}, ${formatBytes(bytes)}) in ${formatDuration(seconds)}.${left}</p>
${loops === 0 ? '' : `<div class="meter" role="img" aria-label="${shareText(part, whole)} wasted"><i style="width:${String(Math.min(100, (100 * part) / Math.max(whole, 1e-9)))}%"></i></div>`}
<ul class="figures">${figures.map(([figure = '', name = '']) => `<li><strong>${figure}</strong>${name}</li>`).join('')}</ul>
${loops === 0 ? '' : `${dayChart(report)}${loopTable(report.worst)}<div class="two">${shareTable('Projects', report.byProject)}${shareTable('Agents', report.byAgent)}${detectorTable(report)}</div>`}
</body>
</html>
`;
}

const CHART = { width: 960, height: 140, base: 116 };
const MAX_DAYS = 60;
const DAY_MS = 86_400_000;

/** The latest days, those without a session too, so that bars stand where their days are. */
function daysOf(byDay: ScanReport['byDay']): (readonly [string, Share | undefined])[] {
  const known = Object.keys(byDay).filter((day) => day !== 'unknown');
  const last = Date.parse(known.at(-1) ?? '');
  const first = Math.max(Date.parse(known[0] ?? ''), last - (MAX_DAYS - 1) * DAY_MS);
  const days = Array.from({ length: known.length === 0 ? 0 : (last - first) / DAY_MS + 1 }, (_, i) =>
    new Date(first + i * DAY_MS).toISOString().slice(0, 10),
  );
  return days.map((day) => [day, byDay[day]]);
}

/** Bars of what was spent each day, with the wasted part. */
function dayChart({ byDay, used }: ScanReport): string {
  const days = daysOf(byDay);
  if (days.length < 2) return '';
  const amountOf = (usage: Usage) => (used.usd > 0 ? usage.usd : usage.calls);
  const most = Math.max(...days.map(([, share]) => (share === undefined ? 0 : amountOf(share.used))), 1e-9);
  const step = CHART.width / days.length;
  const bar = (kind: string, x: number, amount: number) => {
    const height = (amount / most) * (CHART.base - 8);
    return `<rect class="${kind}" x="${x.toFixed(1)}" y="${(CHART.base - height).toFixed(1)}" width="${Math.max(1, Math.min(40, step * 0.7)).toFixed(1)}" height="${height.toFixed(1)}" rx="2"/>`;
  };
  const bars = days.map(([day, share], i) => {
    if (share === undefined) return '';
    const text = `${day}: ${amountText(share, used.usd > 0)}`;
    return `<g><title>${text}</title>${bar('used', i * step, amountOf(share.used))}${bar('wasted', i * step, amountOf(share.wasted))}</g>`;
  });
  const [first] = days;
  const last = days.at(-1);
  return `<section><h2>${used.usd > 0 ? 'Dollars' : 'Calls'} a day (UTC), and the wasted part</h2>
<svg viewBox="0 0 ${String(CHART.width)} ${String(CHART.height)}" role="img" aria-label="From ${first?.[0] ?? ''} to ${last?.[0] ?? ''}">${bars.join('')}<text x="0" y="134">${first?.[0] ?? ''}</text><text x="${String(CHART.width)}" y="134" text-anchor="end">${last?.[0] ?? ''}</text></svg></section>
`;
}

function amountText({ used, wasted }: Share, isPriced: boolean): string {
  return isPriced
    ? `${formatUsd(wasted.usd)} of ${formatUsd(used.usd)}`
    : `${formatInteger(wasted.calls)} of ${formatCount(used.calls, 'call')}`;
}

function shareTable(what: string, shares: Readonly<Record<string, Share>>): string {
  const rows = worstShares(shares).map(([name, share]) => {
    const { used, wasted, loops } = share;
    const percent = used.usd > 0 ? shareText(wasted.usd, used.usd) : shareText(wasted.calls, used.calls);
    return `<tr><td>${escapeHtml(name)}</td>${numberCells([formatInteger(loops), amountText(share, used.usd > 0), percent])}</tr>`;
  });
  if (rows.length === 0) return '';
  return `<section class="scroll"><h2>${what}</h2>
<table><thead><tr><th>Name</th>${numberHeaders(['Loops', 'Wasted', 'Share'])}</tr></thead>
<tbody>${rows.join('\n')}</tbody></table></section>
`;
}

function detectorTable({ byDetector }: ScanReport): string {
  const rows = Object.entries(byDetector).map(
    ([detector, { loops, calls, tokens, usd }]) =>
      `<tr><td>${escapeHtml(detector)}</td>${numberCells([formatInteger(loops), formatInteger(calls), formatCompact(tokens), moneyText(usd)])}</tr>`,
  );
  return `<section class="scroll"><h2>Detectors</h2>
<table><thead><tr><th>Detector</th>${numberHeaders(['Loops', 'Calls', 'Tokens', 'Cost'])}</tr></thead>
<tbody>${rows.join('\n')}</tbody></table></section>
`;
}

function loopTable(worst: readonly ScannedLoop[]): string {
  const rows = worst.map((loop) => {
    const { title, reason, agent, model, time, sessionId, file, project, prompt, wasted } = loop;
    const facts = [project, agent, model, formatDay(time)].filter((fact) => fact !== null).join(' · ');
    const cells = [
      formatInteger(wasted.calls),
      formatCompact(wasted.tokens ?? 0),
      moneyText(wasted.usd ?? 0),
    ];
    return `<tr><td><strong>${escapeHtml(title)}</strong> ${prompt === null ? '' : escapeHtml(`“${prompt}”`)}<br><span class="soft">${escapeHtml(facts)}<br>${escapeHtml(reason)}</span><br><code>${escapeHtml(sessionId)}<br>${escapeHtml(shortPath(file))}</code></td>${numberCells(cells)}</tr>`;
  });
  return `<section class="scroll"><h2>The loops that wasted most</h2>
<table><thead><tr><th>Loop and session</th>${numberHeaders(['Calls', 'Tokens', 'Cost'])}</tr></thead>
<tbody>${rows.join('\n')}</tbody></table></section>
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
