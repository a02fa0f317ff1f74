import type { Evaluation, SessionOutcome, SourceScore } from './evaluate.ts';
import type { Outcome } from './score.ts';

/** The report as Markdown tables. @param listed whether to list flagged sessions without a label */
export function report(evaluations: readonly Evaluation[], listed: boolean): string {
  const rows = evaluations.flatMap(({ preset, sources, all }) =>
    [...sources, all].map((score) => ({ preset, score })),
  );
  const sections = [
    alarmTable(rows),
    labelTable(rows.filter(({ score }) => score.unlabelled < score.sessions)),
    ...evaluations.map(ruleTable),
    ...evaluations.map(surpriseList),
    ...(listed ? evaluations.map(flaggedList) : []),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

interface Row {
  readonly preset: string;
  readonly score: SourceScore;
}

function alarmTable(rows: readonly Row[]): string {
  const head = [
    'preset',
    'source',
    'sessions',
    'calls',
    'sessions flagged',
    'alarms',
    'per 1,000 calls',
    'outages',
  ];
  return table(
    head,
    rows.map(({ preset, score }) => [
      preset,
      score.source,
      score.sessions,
      score.calls,
      score.flagged,
      score.alarms,
      score.alarmsPer1000Calls?.toFixed(1) ?? '-',
      score.outages,
    ]),
  );
}

function labelTable(rows: readonly Row[]): string {
  const head = [
    'preset',
    'source',
    'labelled',
    'loops found',
    'missed',
    'false alarms',
    'precision',
    'recall',
  ];
  return table(
    [...head, 'borderline flagged', 'unlabelled flagged', 'calls late (p50)', 'p90'],
    rows.map(({ preset, score }) => [
      preset,
      score.source,
      score.sessions - score.unlabelled,
      score.found,
      score.missed,
      score.falseAlarms,
      percent(score.precision),
      percent(score.recall),
      `${score.borderlineFlagged} of ${score.borderline}`,
      `${score.unlabelledFlagged} of ${score.unlabelled}`,
      score.delay.p50 ?? '-',
      score.delay.p90 ?? '-',
    ]),
  );
}

function ruleTable({ preset, rules }: Evaluation): string {
  const head = [`rule of ${preset}`, 'loops found', 'by it alone', 'false alarms', 'precision', 'recall'];
  const rows = rules.map((rule) => [
    rule.rule,
    rule.found,
    rule.alone,
    rule.falseAlarms,
    percent(rule.precision),
    percent(rule.recall),
    rule.firstIndex,
    rule.unlabelledFlagged,
  ]);
  return table([...head, 'first at event (p50)', 'unlabelled flagged'], rows);
}

const isOutcome =
  (...outcomes: Outcome[]) =>
  ({ outcome }: SessionOutcome) =>
    outcomes.includes(outcome);

/** Sessions with a result different from their label, and all borderline sessions. */
const surprises: readonly (readonly [string, (session: SessionOutcome) => boolean])[] = [
  ['missed', isOutcome('missed')],
  ['before the loop', ({ premature }) => premature],
  ['false alarm', isOutcome('false_alarm')],
  ['borderline', isOutcome('borderline_flagged', 'borderline_silent')],
];

function surpriseList({ preset, sessions, absent }: Evaluation): string {
  const rows = surprises.flatMap(([title, isListed]) =>
    sessions.filter(isListed).map((session) => [title, session.source, session.sessionId, firedIn(session)]),
  );
  const gone = absent.map((session) => ['not in the events', '', session, '']);
  return table([preset, 'source', 'session', 'rule@event'], [...rows, ...gone]);
}

function flaggedList({ preset, sessions }: Evaluation): string {
  const rows = sessions
    .filter(({ outcome }) => outcome === 'unlabelled_flagged')
    .map((session) => [session.source, session.sessionId, firedIn(session)]);
  return table([`flagged by ${preset}, no label`, 'session', 'rule@event'], rows);
}

function firedIn({ hits }: SessionOutcome): string {
  return hits.map(({ rule, eventIndex }) => `${rule}@${eventIndex}`).join(' ');
}

function percent(share: number | null): string {
  return share === null ? '-' : `${(share * 100).toFixed(1)} %`;
}

/** A table in Markdown, its columns aligned; nothing where it has no rows. */
function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  if (rows.length === 0) return '';
  const cells = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, i) => Math.max(...cells.map((row) => row[i]?.length ?? 0)));
  const [first = '', ...rest] = cells.map(
    (row) => `| ${widths.map((width, i) => (row[i] ?? '').padEnd(width)).join(' | ')} |`,
  );
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [first, rule, ...rest].join('\n');
}
