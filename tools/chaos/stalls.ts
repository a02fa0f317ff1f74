import type { Advance } from './commits.ts';
import type { Fault } from './fault-injector.ts';
import { bounds } from './faults/bounds.ts';
import { brokerFaults, connectionFaults, type FaultName, faultKinds } from './faults/faults.ts';
import type { LogLine } from './fleet.ts';
import { type Distribution, distribution, isTakeover } from './recovery.ts';

/** Work on a partition stood still. */
interface Stall {
  readonly partition: number;
  /** The commits before and after it, epoch ms. */
  readonly from: number;
  readonly to: number;
}

/** The stalls of one kind of fault. */
export interface StallReport extends Distribution {
  /** The bound of the kind, from the fault's begin or end, in milliseconds. */
  readonly boundMs: number;
  /** Stalls that outlasted the bounds of all faults in them, and the allowance: what, where, and by how much. */
  readonly late: readonly string[];
}

/** A stall without any fault; `retried` bounds it, because a busy machine can delay an answer. */
type Cause = FaultName | 'no fault';

/** Shorter pauses between two commits are not looked at, ms. */
const SHORTEST_MS = 1_000;

/**
 * Attributes each pause between two commits of a partition to the fault that may delay the next commit the longest, and checks
 * that it did not take longer. A fault of a broker concerns all partitions, one of a worker those that it owns, or all while it
 * is taking some over. A later fault in a stall begins a new bound, if the bounds before it have not passed.
 *
 * @param allowanceMs what this machine takes in addition to the bounds
 */
export function stallReports(
  faults: readonly Fault[],
  advances: readonly Advance[],
  lines: readonly LogLine[],
  allowanceMs: number,
): Readonly<Record<string, StallReport>> {
  const concerned = faults.map((fault) => ({
    fault,
    ends: deadline(fault),
    owned: concernedBy(fault, lines),
  }));
  const waits = new Map<Cause, number[]>();
  const late = new Map<Cause, string[]>();
  for (const { partition, from, to } of stallsIn(advances)) {
    let cause: Cause = 'no fault';
    let ends = from + bounds.retried.ms;
    for (const { fault, ends: own, owned } of concerned) {
      if (own <= from || fault.at >= to || owned?.has(partition) === false) continue;
      if (fault.at > ends + allowanceMs) break;
      if (cause !== 'no fault' && own <= ends) continue;
      cause = fault.kind;
      ends = Math.max(own, ends);
    }
    waits.set(cause, [...(waits.get(cause) ?? []), to - from]);
    if (to <= ends + allowanceMs) continue;
    const text = `partition ${partition} stood still for ${to - from} ms from ${new Date(from).toISOString()}, ${to - ends} ms longer than allowed`;
    late.set(cause, [...(late.get(cause) ?? []), text]);
  }
  return Object.fromEntries(
    Array.from(waits, ([cause, values]) => [
      cause,
      {
        ...distribution(values),
        boundMs: cause === 'no fault' ? bounds.retried.ms : faultKinds[cause].bound.ms,
        late: late.get(cause) ?? [],
      },
    ]),
  );
}

/** When work must go on after it, epoch ms. */
function deadline({ kind, at, until = Number.POSITIVE_INFINITY }: Fault): number {
  const { from, ms } = faultKinds[kind].bound;
  return (from === 'begin' ? at : until) + ms;
}

function stallsIn(advances: readonly Advance[]): Stall[] {
  const latest = new Map<number, number>();
  return advances.flatMap(({ partition, at }) => {
    const from = latest.get(partition) ?? at;
    latest.set(partition, at);
    return at - from > SHORTEST_MS ? [{ partition, from, to: at }] : [];
  });
}

/** The partitions of a worker when the fault began; undefined: all may be concerned. */
function concernedBy({ kind, whom, at }: Fault, lines: readonly LogLine[]): ReadonlySet<number> | undefined {
  if (kind in brokerFaults || kind in connectionFaults) return undefined;
  const owners = new Map<number, string>();
  let arriving = 0;
  for (const line of lines) {
    if (line.at > at) break;
    const { worker, message, fields } = line;
    if (isTakeover(line)) {
      owners.set(Number(fields['partition']), worker);
      if (worker === whom) arriving -= 1;
    } else if (worker === whom && message.startsWith('Partitions assigned')) {
      arriving = Number(fields['arrived']);
    }
  }
  if (arriving > 0) return undefined;
  return new Set([...owners].flatMap(([partition, owner]) => (owner === whom ? [partition] : [])));
}
