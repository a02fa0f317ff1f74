import type { EvidenceCall } from '@loopwatch/contract';
import { formatTime, plural } from '../../lib/format.ts';
import { Card } from '../../ui/layout/Card.tsx';
import { CallResult, Pieces, shown } from './CallResult.tsx';
import { type LoopStep, pairs } from './calls-line.ts';
import { diff, evidenceText, type Piece } from './diff.ts';

interface Props {
  readonly first: LoopStep;
  readonly latest: LoopStep;
  readonly unit: 'step' | 'call';
  /** Opens the session at an event. */
  readonly onOpen: ((eventIndex: number) => void) | undefined;
}

/** The first step of which the evidence is stored and the latest one, each call beside its counterpart. */
export function FirstAndLatest({ first, latest, unit, onOpen }: Props) {
  const compared = pairs(first, latest).map(([before, after]) => {
    const calls = diff(shown(before), shown(after));
    // A result on one side only has no counterpart.
    const results =
      before.result !== undefined && after.result !== undefined
        ? diff(evidenceText(before.result.text), evidenceText(after.result.text))
        : undefined;
    return { before, after, calls, results };
  });
  const results = compared.flatMap((pair) => (pair.results === undefined ? [] : alike(pair.results)));
  const sameResults = results.length < compared.length ? undefined : results.every(Boolean);
  const sameCalls = compared.every((pair) => alike(pair.calls));
  const left = first.calls.length - MAX_PAIRS;
  const title = (ordinal: number, member: number) =>
    unit === 'call' ? `Call ${String(ordinal)}` : `Step ${String(ordinal)}, call ${String(member + 1)}`;
  return (
    <Card
      title={`${first.ordinal === 1 ? 'First' : 'Earlier'} and latest ${unit}`}
      note={note(unit, sameCalls, sameResults)}
      flush
    >
      {compared.slice(0, MAX_PAIRS).map(({ before, after, calls, results: both }, member) => (
        <div
          key={member}
          className="mt-3 grid grid-cols-[repeat(auto-fit,minmax(min(100%,280px),1fr))] border-t overflow-hidden rounded-b-lg [&>div]:px-4 [&>div]:pt-3 [&>div]:pb-4 [&>div]:shadow-[-1px_-1px_0_var(--color-line)] [&>div]:min-w-0 [&_h3]:mb-2 [&_h3]:flex [&_h3]:flex-wrap [&_h3]:gap-x-3 [&_h3]:gap-y-0 [&_h3]:text-sm [&_h3]:font-600 [&_h3]:text-ink2 [&_h3_span]:font-450 [&_h3_span]:text-ink3"
        >
          <CallText
            call={before}
            title={title(first.ordinal, member)}
            pieces={calls.before}
            result={both?.before}
            onOpen={onOpen}
          />
          <CallText
            call={after}
            title={title(latest.ordinal, member)}
            pieces={calls.after}
            result={both?.after}
            onOpen={onOpen}
          />
        </div>
      ))}
      {left > 0 && (
        <p className="px-4 py-3 border-t text-sm text-ink2">and {plural(left, 'more call')} in this step</p>
      )}
    </Card>
  );
}

/** Calls of a step shown side by side. */
const MAX_PAIRS = 6;

function alike({ before, after }: ReturnType<typeof diff>): boolean {
  return [...before, ...after].every((piece) => piece.same);
}

/** @param results whether all results are identical; undefined if some are unknown */
function note(unit: 'step' | 'call', calls: boolean, results: boolean | undefined): string {
  const many = unit === 'step';
  if (calls && results === true) return many ? 'same calls, same results' : 'same call, same result';
  if (calls && results === undefined) return many ? 'same calls' : 'same call';
  return 'differences are highlighted';
}

interface CallTextProps {
  readonly call: EvidenceCall;
  readonly title: string;
  readonly pieces: readonly Piece[];
  readonly result: readonly Piece[] | undefined;
  readonly onOpen: Props['onOpen'];
}

function CallText({ call, title, pieces, result, onOpen }: CallTextProps) {
  return (
    <div>
      <h3>
        {title}
        <span>{formatTime(call.time)}</span>
        {onOpen === undefined ? (
          <span>event #{call.eventIndex}</span>
        ) : (
          <button
            type="button"
            className="font-450 text-accent hover:underline"
            title="Open the session at this event"
            onClick={() => onOpen(call.eventIndex)}
          >
            event #{call.eventIndex}
          </button>
        )}
      </h3>
      <Pieces pieces={pieces} />
      {call.result !== undefined && (
        <CallResult
          result={call.result}
          pieces={result ?? [{ text: evidenceText(call.result.text), same: true }]}
        />
      )}
    </div>
  );
}
