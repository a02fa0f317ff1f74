import type { EvidenceCall } from '@loopwatch/contract';
import { visibleText } from '../../lib/visible-text.ts';
import { evidenceText, type Piece } from './diff.ts';

type Result = NonNullable<EvidenceCall['result']>;

/** What a call returned. @param pieces its text, with what differs from another result */
export function CallResult({
  result,
  pieces,
}: {
  readonly result: Result;
  readonly pieces: readonly Piece[];
}) {
  return (
    <>
      <h4 className="mx-0 mt-3 mb-1 text-sm font-600 text-ink2">
        {isFailed(result) ? 'Result: failed' : 'Result'}
      </h4>
      {result.text === '' ? <p className="text-sm text-ink3">empty</p> : <Pieces pieces={pieces} />}
    </>
  );
}

/** A text whose differences from another are highlighted. */
export function Pieces({ pieces }: { readonly pieces: readonly Piece[] }) {
  return (
    <pre className="text-sm/[1.65] font-mono font-450 whitespace-pre-wrap wrap-anywhere text-ink">
      {pieces.map(({ text, same }, index) =>
        // Pieces have no identity but their position.
        same ? (
          <span key={index}>{visibleText(text)}</span>
        ) : (
          <mark
            className="py-px text-inherit rounded-[3px] bg-warm-soft shadow-[0_0_0_1px_color-mix(in_oklab,var(--color-warm)_35%,transparent)]"
            key={index}
          >
            {visibleText(text)}
          </mark>
        ),
      )}
    </pre>
  );
}

export function isFailed(result: Result | undefined): boolean {
  return result !== undefined && result.kind !== 'ok';
}

/** A call with its arguments, as text. */
export function shown(call: EvidenceCall): string {
  return `${call.name}\n${evidenceText(call.arguments)}`;
}
