import { describe, expect, it } from 'vitest';
import type { Fault } from './fault-injector.ts';
import { bounds } from './faults/bounds.ts';
import type { LogLine } from './fleet.ts';
import { stallReports } from './stalls.ts';

const ALLOWANCE_MS = 500;

/** Worker a owns partition 0, b owns partition 1; each since time 0. */
const lines: readonly LogLine[] = ['a', 'b'].flatMap((worker, partition) => [
  line(worker, 'Partitions assigned: 1 (1 added, 0 revoked)', { arrived: 1 }),
  line(worker, `Partition ${partition} recovered in 0.10 s`, { partition }),
]);

function line(worker: string, message: string, fields: LogLine['fields']): LogLine {
  return { worker, at: 0, level: 'info', message, fields };
}

/** The cause of partition 0's only stall, from 10,000 ms on, and whether it was too long. */
function causeOf(to: number, faults: readonly Fault[], log = lines): [string | undefined, boolean] {
  const advances = [10_000, to].map((at) => ({ partition: 0, at }));
  const [entry] = Object.entries(stallReports(faults, advances, log, ALLOWANCE_MS));
  return [entry?.[0], (entry?.[1].late.length ?? 0) > 0];
}

const killed = (whom: string, at: number): Fault => ({ kind: 'kill worker', whom, at, until: at + 1_000 });

describe('stallReports', () => {
  const missed = 11_000 + bounds.missed.ms + ALLOWANCE_MS;
  const second = 20_000 + bounds.missed.ms + ALLOWANCE_MS;
  const isolated: Fault = { kind: 'isolate broker', whom: 'node 1', at: 11_000, until: 15_000 };
  const returned = 15_000 + bounds.returned.ms + ALLOWANCE_MS;
  const quiet = 10_000 + bounds.retried.ms + ALLOWANCE_MS;

  it.each<[string, number, readonly Fault[], string | undefined, boolean]>([
    ['a short pause', 10_900, [], undefined, false],
    ['no fault, within the bound', quiet, [], 'no fault', false],
    ['no fault, later', quiet + 1, [], 'no fault', true],
    ['its worker, within the bound', missed, [killed('a', 11_000)], 'kill worker', false],
    ['its worker, later', missed + 1, [killed('a', 11_000)], 'kill worker', true],
    [
      'before the pause, and still within the bound',
      9_000 + bounds.missed.ms,
      [killed('a', 9_000)],
      'kill worker',
      false,
    ],
    ['another worker', missed, [killed('b', 11_000)], 'no fault', true],
    ['a second fault extends it', second, [killed('a', 11_000), killed('a', 20_000)], 'kill worker', false],
    ['a fault after the bound has passed does not', second, [killed('a', 20_000)], 'no fault', true],
    ['a bound from the end', returned, [isolated], 'isolate broker', false],
    ['a bound from the end, later', returned + 1, [isolated], 'isolate broker', true],
    [
      'a fault that still lasts',
      900_000,
      [{ kind: 'isolate broker', whom: 'node 1', at: 11_000 }],
      'isolate broker',
      false,
    ],
  ])('chaos stalls: %s', (_, to, faults, cause, isLate) => {
    expect(causeOf(to, faults)).toEqual([cause, isLate]);
  });

  it('chaos stalls: a worker that takes partitions over concerns all of them', () => {
    const arriving = [...lines, line('c', 'Partitions assigned: 1 (1 added, 0 revoked)', { arrived: 1 })];
    expect(causeOf(missed, [killed('c', 11_000)], arriving)).toEqual(['kill worker', false]);
  });
});
