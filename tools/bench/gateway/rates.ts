import { type Figures, rounded } from '../measure.ts';
import { Client } from './client.ts';
import { type AnswerMode, stepSource } from './conversations.ts';
import { Session } from './sessions.ts';
import { type CpuTimes, type Ports, type Side, sides } from './sides.ts';

const CONCURRENT = 32;
const ROUNDS = 2;
const ROUND_MS = 1_500;

/** As many sessions at a time as clients, alternating between the sides. */
export async function measureRates(
  ports: Ports,
  cpuTimes: CpuTimes,
  messages: number,
  mode: AnswerMode,
): Promise<Figures> {
  const answers: Record<Side, number> = { direct: 0, bare: 0, gateway: 0 };
  const ms: Record<Side, number> = { direct: 0, bare: 0, gateway: 0 };
  const cpuMs: Record<Side, number> = { direct: 0, bare: 0, gateway: 0 };
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      // The upstream alone only has to be faster than the proxies.
      if (side === 'direct' && round > 1) continue;
      // Again each time: servers close connections that have been idle for 5 s.
      const clients = await Promise.all(Array.from({ length: CONCURRENT }, () => Client.to(ports[side])));
      for (let spent = 0; spent < ROUND_MS; ) {
        const sessions = clients.map((client) => ({ client, session: new Session(messages) }));
        // Not timed: the gateway would otherwise have seen this history growing.
        await Promise.all(sessions.map(({ client, session }) => client.ask(...session.request(0, mode))));
        const cpuBefore = await cpuTimes(side);
        const start = performance.now();
        await Promise.all(
          sessions.map(async ({ client, session }) => {
            const isOver = (step: number): boolean =>
              step > session.length || performance.now() - start > ROUND_MS - spent;
            for (let step = 1; !isOver(step); step += 1) {
              await client.ask(...session.request(step, mode));
              if (round > 0) answers[side] += 1;
            }
          }),
        );
        const end = performance.now();
        spent += end - start;
        if (round === 0) continue;
        ms[side] += end - start;
        cpuMs[side] += (await cpuTimes(side)) - cpuBefore;
      }
      for (const client of clients) client.close();
    }
  }
  const rate = (side: Side): number => (answers[side] / ms[side]) * 1000;
  const cpu = (side: Side): number => cpuMs[side] / answers[side];
  return {
    bench: `gateway, rate, ${String(messages)} messages, ${mode}`,
    source: stepSource,
    answersPerSecond: rounded(rate('gateway')),
    barePerSecond: rounded(rate('bare')),
    directPerSecond: rounded(rate('direct')),
    cpuMs: rounded(cpu('gateway')),
    bareCpuMs: rounded(cpu('bare')),
    concurrent: CONCURRENT,
    ratio: rounded(rate('gateway') / rate('bare')),
    required: requiredRate(messages, mode),
  };
}

function requiredRate(messages: number, mode: AnswerMode): string {
  if (messages === 2 && mode === 'tokens') return '>= 0.85';
  return messages === 60 && mode !== 'burst' ? '>= 0.7' : 'nothing';
}
