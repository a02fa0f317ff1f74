import type { Evaluation } from './evaluate.ts';
import type { Label } from './input.ts';

/** The tables that people read. @param listed whether the flagged sessions without a label are named, too */
export function report(
  evaluations: readonly Evaluation[],
  labels: ReadonlyMap<string, Label>,
  listed: boolean,
): string {
  const sections = [
    presetTable(evaluations),
    ...evaluations.map(ruleTable),
    ...evaluations.map((evaluation) => sessionList(evaluation, labels)),
    ...(listed ? evaluations.map(flaggedList) : []),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function presetTable(evaluations: readonly Evaluation[]): string {
  const head = ['preset', 'loops found', 'missed', 'false alarms', 'precision', 'recall'];
  const rows = evaluations.map((evaluation) => {
    const { preset, found, missed, falseAlarms, precision, recall, unlabelled, flagged } = evaluation;
    const rate = unlabelled === 0 ? '-' : ((flagged.length / unlabelled) * 1000).toFixed(1);
    const counts = [found.length, missed.length, falseAlarms.length].map(String);
    return [
      preset,
      ...counts,
      percent(precision),
      percent(recall),
      String(unlabelled),
      String(flagged.length),
      rate,
    ];
  });
  return table([...head, 'unlabelled sessions', 'of them flagged', 'per 1,000'], rows);
}

function ruleTable({ preset, rules }: Evaluation): string {
  const head = [`rule of ${preset}`, 'loops found', 'by it alone', 'false alarms', 'precision', 'recall'];
  const rows = rules.map((rule) => [
    rule.rule,
    String(rule.found.length),
    String(rule.alone),
    String(rule.falseAlarms.length),
    percent(rule.precision),
    percent(rule.recall),
    String(rule.firstIndex),
    String(rule.unlabelled),
  ]);
  return table([...head, 'first at event (median)', 'unlabelled flagged'], rows);
}

/** What each labelled session got that did not come out as its label says, and all borderline ones. */
function sessionList(evaluation: Evaluation, labels: ReadonlyMap<string, Label>): string {
  const { preset, missed, falseAlarms, hits } = evaluation;
  const borderline = [...labels].filter(([session, label]) => label === 'borderline' && hits.has(session));
  const rows = [
    ...missed.map((session) => ['missed', session, '']),
    ...falseAlarms.map((session) => ['false alarm', session, firedIn(evaluation, session)]),
    ...borderline.map(([session]) => ['borderline', session, firedIn(evaluation, session)]),
    ...[...labels.keys()]
      .filter((session) => !hits.has(session))
      .map((session) => ['not in the events', session, '']),
  ];
  return rows.length === 0 ? '' : table([preset, 'session', 'rule@event'], rows);
}

function flaggedList(evaluation: Evaluation): string {
  const rows = evaluation.flagged.map((session) => [session, firedIn(evaluation, session)]);
  return rows.length === 0 ? '' : table([`flagged by ${evaluation.preset}, no label`, 'rule@event'], rows);
}

function firedIn({ hits }: Evaluation, session: string): string {
  return (hits.get(session) ?? []).map(({ rule, eventIndex }) => `${rule}@${String(eventIndex)}`).join(' ');
}

function percent(share: number | null): string {
  return share === null ? '-' : `${(share * 100).toFixed(1)} %`;
}

/** A table in Markdown, its columns aligned. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((cell, i) => Math.max(cell.length, ...rows.map((row) => (row[i] ?? '').length)));
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, i) => (cells[i] ?? '').padEnd(width)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}
