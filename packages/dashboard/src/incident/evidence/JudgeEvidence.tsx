import { formatShare } from '../../lib/format.ts';
import { Card } from '../../ui/layout/Card.tsx';
import { ThresholdBar } from '../ThresholdBar.tsx';
import type { ViewProps } from './view.ts';

/** The judge model's analysis, quoted, and its confidence. */
export function JudgeEvidence({ incident, evidence }: ViewProps<'semantic'>) {
  const { analysis, shown, threshold } = evidence;
  if (analysis === undefined) return null;
  const { confidence } = incident;
  return (
    <Card title="Judge model’s analysis" note={shown && `turns ${String(shown.from)} to ${String(shown.to)}`}>
      <blockquote
        className="pl-3 text-lg/[1.6] border-l-3 border-l-(--hue) whitespace-pre-wrap wrap-anywhere"
        data-detector={incident.detector}
      >
        {analysis}
      </blockquote>
      <div className="mt-4 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-ink2 [&>div]:flex-[1_1_160px]">
        <span>confidence</span>
        <div>
          <ThresholdBar detector={incident.detector} value={confidence} threshold={threshold} />
        </div>
        <b>{formatShare(confidence)}</b>
        {threshold !== undefined && <small className="text-ink3">threshold {formatShare(threshold)}</small>}
      </div>
    </Card>
  );
}
