import { formatNumber, plural } from '../../lib/format.ts';
import { Card } from '../../ui/layout/Card.tsx';
import type { ViewProps } from './view.ts';

const MAX_DRAWN = 40;

/** A limit drawn as a row of requests with the excess one marked, and the last calls before it. */
export function LimitEvidence({ incident, evidence }: ViewProps<'tool-limit' | 'turn-limit'>) {
  const isOfTurns = 'max_allowed' in evidence;
  const allowed = isOfTurns ? evidence.max_allowed : incident.threshold;
  const drawn = Math.min(MAX_DRAWN, Math.max(incident.count, allowed + 1));
  const allowedText = isOfTurns
    ? plural(allowed, 'model request')
    : plural(allowed, 'turn with tool calls', 'turns with tool calls');
  return (
    <Card title="Limit" note={`${allowedText} allowed per prompt`}>
      <div
        className="flex flex-wrap gap-1.25"
        data-detector={incident.detector}
        role="img"
        aria-label={`${formatNumber(incident.count)} of ${allowedText}`}
      >
        {Array.from({ length: drawn }, (_, index) => (
          <i
            className="w-5 h-6.5 rounded-[5px] bg-tint-45 data-over:border-[1.6px] data-over:border-dashed data-over:border-hot data-over:bg-transparent"
            key={index}
            data-over={index >= allowed || undefined}
          />
        ))}
      </div>
      {!isOfTurns && <p className="mt-3 text-ink2">{evidence.limit_message}</p>}
      {isOfTurns && evidence.last_tool_calls.length > 0 && (
        <>
          <h3 className="mx-0 mt-3 mb-1 text-sm font-600 text-ink2">Last calls before the limit</h3>
          <ul>
            {evidence.last_tool_calls.map((call, index) => (
              <li className="text-sm/[1.7] font-mono font-450 wrap-anywhere" key={index}>
                {call}
              </li>
            ))}
          </ul>
        </>
      )}
    </Card>
  );
}
