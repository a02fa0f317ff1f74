import type { IncidentRow } from '@loopwatch/contract';
import type { IncidentItem } from '@loopwatch/contract/api';
import { formatReason } from '../lib/format.ts';
import { visibleText } from '../lib/visible-text.ts';

/** What repeats, and the title of its session. */
export function LoopTitle({ item }: { readonly item: Pick<IncidentItem, 'title' | 'sessionTitle'> }) {
  return (
    <>
      {visibleText(item.title)}
      {item.sessionTitle !== undefined && (
        <span className="ml-2 text-sm font-450 text-ink3" dir="auto">
          {visibleText(item.sessionTitle)}
        </span>
      )}
    </>
  );
}

/** Below a title: the arguments of the repeated call, or the reason if no single call is repeated. */
export function LoopSummary({
  item,
  className = '',
}: {
  readonly item: Pick<IncidentRow, 'arguments' | 'reason'>;
  readonly className?: string;
}) {
  if (item.arguments === null) return <span className={className}>{formatReason(item.reason)}</span>;
  return <code className={`font-mono font-450 ${className}`}>{visibleText(item.arguments)}</code>;
}
