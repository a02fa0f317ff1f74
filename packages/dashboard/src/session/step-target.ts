import type { IncidentItem, SessionDetail } from '@loopwatch/contract/api';
import { type Block, isInLoop } from './blocks.ts';
import type { Anchor } from './use-events.ts';

/** The loop that the current step belongs to; else the one that the URL names, or the latest. */
export function loopAt(
  incidents: readonly IncidentItem[],
  blocks: readonly Block[],
  at: number | undefined,
  anchor: Anchor,
): IncidentItem | undefined {
  const block = at === undefined ? undefined : blocks.find(({ last }) => (last ?? -1) >= at);
  const named = anchor.kind === 'around' ? anchor.incident : undefined;
  const loops = incidents.filter(({ kind }) => kind === 'loop');
  return (
    loops.find((loop) => block !== undefined && isInLoop(block, loop)) ??
    loops.find(({ id }) => id === named) ??
    loops[0]
  );
}

/** The block that the URL points to; undefined if there is none or it is not loaded yet. */
export function targetOf(
  blocks: readonly Block[],
  anchor: Anchor,
  at: number | undefined,
  session: SessionDetail,
): Target | undefined {
  const found = (key: string, index: number, marked = true) =>
    index < 0 ? undefined : { key, index, marked };
  if (at !== undefined) {
    return found(
      `at ${String(at)}`,
      blocks.findIndex(({ last }) => (last ?? -1) >= at),
    );
  }
  if (anchor.kind !== 'around')
    return anchor.kind === 'end' ? found('end', blocks.length - 1, false) : undefined;
  const loop = session.incidentItems.find(({ id }) => id === anchor.incident);
  return (
    loop &&
    found(
      `loop ${loop.id}`,
      blocks.findIndex((block) => isInLoop(block, loop)),
    )
  );
}

/** A step to scroll to. */
export interface Target {
  /** Stable as the list grows, so that the list scrolls to it only once. */
  readonly key: string;
  readonly index: number;
  readonly marked: boolean;
}
