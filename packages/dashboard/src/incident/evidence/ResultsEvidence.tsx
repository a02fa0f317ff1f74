import type { EvidenceOf } from '@loopwatch/contract';
import { formatTime, plural } from '../../lib/format.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { Card } from '../../ui/layout/Card.tsx';
import { evidenceText, withCutMark } from './diff.ts';
import { RepeatedText } from './RepeatedText.tsx';
import type { ViewProps } from './view.ts';

type Rule = EvidenceOf<'stagnation'>['rule'];

const titles: Readonly<Partial<Record<Rule, { title: string; note: string }>>> = {
  'same-error': {
    title: 'Different calls, same error',
    note: 'each call and its result',
  },
  'same-result': { title: 'Same call, same result', note: 'with other steps in between' },
  'same-answer': { title: 'Different queries, same answer', note: 'each query, and the shared answer' },
  handoffs: { title: 'Handed over again and again', note: 'each handoff and its result' },
  'known-answers': { title: 'Few queries, known answers', note: 'each query, and its answer' },
  'same-failure': { title: 'Same failure again', note: 'each call and its result' },
  'nothing-new': {
    title: 'No new results',
    note: 'each call, and the result that did not change',
  },
};
const outage = { title: 'Failed calls', note: 'caused by the provider or the network, not the agent' };

/** One row per call; a result that all calls share is shown once. */
export function ResultsEvidence({ incident, evidence }: ViewProps<'stagnation' | 'outage'>) {
  const { calls } = evidence;
  if (calls.length === 0) return null;
  const { title, note } =
    'rule' in evidence ? (titles[evidence.rule] ?? { title: 'Calls', note: 'stored as evidence' }) : outage;
  const results = new Set(calls.map(({ result }) => result?.text));
  const [only] = results;
  const same = results.size === 1 && only !== undefined ? calls[0]?.result : undefined;
  return (
    <Card title={title} note={note} flush>
      <ol
        className="mt-3 border-t max-h-115 overflow-auto [&_li]:last:border-b-0"
        data-detector={incident.detector}
        tabIndex={0}
      >
        {calls.map((call, index) => (
          <li className="px-4 py-2 grid grid-cols-[62px_minmax(0,1fr)] gap-3 border-b" key={call.eventIndex}>
            <Gap from={calls[index - 1]?.step} to={call.step} />
            <span className="text-sm text-ink2">
              #{call.eventIndex}
              <small className="block text-xs text-ink3">{formatTime(call.time)}</small>
            </span>
            <div>
              <code className="text-sm/[1.6] font-mono font-550">{visibleText(call.name)}</code>{' '}
              <span className="text-sm/[1.6] font-mono font-450 text-ink2 wrap-anywhere">
                {visibleText(withCutMark(call.arguments))}
              </span>
              {same === undefined && call.result !== undefined && (
                <p
                  className="mt-0.5 text-sm/[1.6] font-mono font-450 text-ink2 wrap-anywhere whitespace-pre-wrap data-failed:text-hot"
                  data-failed={call.result.kind !== 'ok' || undefined}
                >
                  {visibleText(withCutMark(call.result.text))}
                </p>
              )}
            </div>
          </li>
        ))}
      </ol>
      {same !== undefined && (
        <div className="px-4 pt-3 pb-4 border-t bg-raise/40 rounded-b-lg">
          <h3 className="mb-1 text-sm font-600 text-ink2">
            {same.kind !== 'ok' ? 'Same error every time' : 'Same result every time'}
          </h3>
          <pre
            className="text-sm/[1.6] font-mono font-450 whitespace-pre-wrap wrap-anywhere max-h-55 overflow-auto data-failed:text-hot"
            data-failed={same.kind !== 'ok' || undefined}
            tabIndex={0}
          >
            {visibleText(evidenceText(same.text))}
          </pre>
        </div>
      )}
    </Card>
  );
}

/** Says how many steps lie between two that the evidence holds, which are the first and the latest. */
function Gap({ from, to }: { readonly from: number | undefined; readonly to: number | undefined }) {
  if (from === undefined || to === undefined || to - from < 2) return null;
  return (
    <p className="col-span-full text-sm text-ink3">{plural(to - from - 1, 'step')} in between not shown</p>
  );
}

/** Calls without progress, or a message or prompt repeated without calls. */
export function StagnationEvidence({ incident, evidence }: ViewProps<'stagnation'>) {
  return (
    <>
      <ResultsEvidence incident={incident} evidence={evidence} />
      {evidence.repeated !== undefined && (
        <RepeatedText text={evidence.repeated} detector={incident.detector} />
      )}
    </>
  );
}
