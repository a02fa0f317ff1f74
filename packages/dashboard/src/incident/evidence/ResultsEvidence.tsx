import type { EvidenceOf } from '@loopwatch/contract';
import { formatTime } from '../../lib/format.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { Card } from '../../ui/layout/Card.tsx';
import { prettyJson } from './diff.ts';
import styles from './ResultsEvidence.module.css';
import type { ViewProps } from './view.ts';

type Rule = EvidenceOf<'stagnation'>['rule'];

const titles: Readonly<Partial<Record<Rule, { title: string; note: string }>>> = {
  'same-error': {
    title: 'Different calls, the same error',
    note: 'what was tried, and what came back each time',
  },
  'same-result': { title: 'The same call, the same result', note: 'with other steps in between' },
  'same-answer': { title: 'Other questions, the same answer', note: 'what was asked, and the one answer' },
  'same-failure': { title: 'The same failure, again', note: 'what was tried, and what came back each time' },
  'nothing-new': {
    title: 'Nothing new came of it',
    note: 'what was tried, and the result that did not change',
  },
};
const outage = { title: 'What failed', note: 'the provider or the network, not the agent' };

/** Calls that differ while what they bring stays the same: a row a call, and the result once where it is always alike. */
export function ResultsEvidence({ incident, evidence }: ViewProps<'stagnation' | 'outage'>) {
  const { calls } = evidence;
  if (calls.length === 0) return null;
  const { title, note } =
    'rule' in evidence
      ? (titles[evidence.rule] ?? { title: 'The calls', note: 'as they were kept' })
      : outage;
  const results = new Set(calls.map(({ result }) => result?.text));
  const [only] = results;
  const same = results.size === 1 && only !== undefined ? calls[0]?.result : undefined;
  return (
    <Card title={title} note={note} flush>
      <ol className={styles['calls']} data-detector={incident.detector} tabIndex={0}>
        {calls.map((call) => (
          <li key={call.eventIndex}>
            <span className={styles['when']}>
              #{call.eventIndex}
              <small>{formatTime(call.time)}</small>
            </span>
            <div>
              <code>{visibleText(call.name)}</code>{' '}
              <span className={styles['args']}>{visibleText(call.arguments)}</span>
              {same === undefined && call.result !== undefined && (
                <p data-failed={call.result.kind !== 'ok' || undefined}>{visibleText(call.result.text)}</p>
              )}
            </div>
          </li>
        ))}
      </ol>
      {same !== undefined && (
        <div className={styles['same']}>
          <h3>{same.kind !== 'ok' ? 'Every time the same error' : 'Every time the same result'}</h3>
          <pre data-failed={same.kind !== 'ok' || undefined} tabIndex={0}>
            {visibleText(prettyJson(same.text))}
          </pre>
        </div>
      )}
    </Card>
  );
}
