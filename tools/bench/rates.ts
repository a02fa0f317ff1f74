import type { Consumer, ConsumerMonitor } from './consumers.ts';
import { collectGarbage, type Figures, median, progress, rounded } from './measure.ts';

/** Events per second, and events per second of CPU time, which other load on the machine affects less. */
export interface Rate {
  readonly perSecond: number;
  readonly perCpuSecond: number;
}

export type StartConsumer = (monitor: ConsumerMonitor) => Promise<Consumer>;

/** Rates of consumers of the same topic, measured alternately; the first round warms up broker and compiler. */
export async function alternatingRates<Side extends string>(
  events: number,
  rounds: number,
  sides: Readonly<Record<Side, StartConsumer>>,
): Promise<Record<Side, Rate>[]> {
  const measured: Record<Side, Rate>[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const rates: Partial<Record<Side, Rate>> = {};
    for (const side of Object.keys(sides) as Side[]) rates[side] = await rateOf(events, sides[side]);
    const complete = rates as Record<Side, Rate>;
    const texts = Object.entries<Rate>(complete).map(
      ([side, { perSecond }]) => `${side} ${perSecond.toFixed(0)}/s`,
    );
    progress(`round ${String(round)}: ${texts.join(', ')}`);
    if (round > 0) measured.push(complete);
  }
  return measured;
}

/** The figures of one side compared with the side `bare`. */
export function comparedWithBare<Side extends string>(
  rounds: readonly Record<Side | 'bare', Rate>[],
  side: Side,
): Pick<Figures, 'ratio'> &
  Record<'bareEventsPerSecond' | 'workerEventsPerSecond' | 'ratioByCpuTime', number> {
  const rate = (of: Side | 'bare') => Math.round(median(rounds.map((round) => round[of].perSecond)));
  const ratio = (by: keyof Rate) => rounded(median(rounds.map((round) => round[side][by] / round.bare[by])));
  return {
    bareEventsPerSecond: rate('bare'),
    workerEventsPerSecond: rate(side),
    ratio: ratio('perSecond'),
    ratioByCpuTime: ratio('perCpuSecond'),
  };
}

/** From the first batch to the last event. */
async function rateOf(expected: number, start: StartConsumer): Promise<Rate> {
  // The sessions of the previous consumer.
  await collectGarbage();
  let began: { at: number; cpu: NodeJS.CpuUsage } | undefined;
  let events = 0;
  let finish: (rate: Rate) => void = () => undefined;
  const rate = new Promise<Rate>((resolve) => {
    finish = resolve;
  });
  const consumer = await start({
    onStart: () => {
      began ??= { at: performance.now(), cpu: process.cpuUsage() };
    },
    onProcessed: (more) => {
      events += more;
      if (events < expected || began === undefined) return;
      const cpu = process.cpuUsage(began.cpu);
      finish({
        perSecond: (events * 1_000) / (performance.now() - began.at),
        perCpuSecond: (events * 1_000_000) / (cpu.user + cpu.system),
      });
    },
  });
  const measured = await rate;
  await consumer.stop();
  return measured;
}
