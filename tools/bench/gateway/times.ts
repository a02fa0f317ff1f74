import { type Figures, quantile, rounded } from '../measure.ts';
import { Client, type Timing } from './client.ts';
import { stepSource } from './conversations.ts';
import { Session } from './sessions.ts';
import { type Ports, type Side, sides } from './sides.ts';

const SAMPLES = 300;
const WARM_UP = 120;
const required: Readonly<Record<string, string>> = {
  '2 first p50': 'addedToBareMs <= 0.23',
  '60 first p50': 'addedToBareMs <= 0.35',
};

/** One request at a time, alternating between the sides. */
export async function measureTimes(ports: Ports, messages: number, isStream: boolean): Promise<Figures[]> {
  const timings: Record<Side, Timing[]> = { direct: [], bare: [], gateway: [] };
  const clients = await Promise.all(sides.map(async (side) => [side, await Client.to(ports[side])] as const));
  const mode = isStream ? 'paced' : 'whole';
  for (let asked = 0; asked < SAMPLES + WARM_UP; ) {
    const sessions = new Map(sides.map((side) => [side, new Session(messages)]));
    const length = Math.min(...[...sessions.values()].map((session) => session.length));
    for (let step = 0; step <= length; step += 1) {
      // Alternating, and no side always follows the same other one.
      for (const [side, client] of step % 2 === 0 ? clients : clients.toReversed()) {
        const timing = await client.ask(...(sessions.get(side) as Session).request(step, mode));
        // The first request shows a history that the gateway would otherwise have seen growing.
        if (step > 0 && asked >= WARM_UP) timings[side].push(timing);
      }
      if (step > 0) asked += 1;
    }
  }
  for (const [, client] of clients) client.close();
  const kinds = isStream ? (['first', 'total'] as const) : (['total'] as const);
  return kinds.flatMap((what) =>
    [0.5, 0.99].map((share) =>
      added(timings, `${String(messages)} ${what} p${String(share * 100)}`, what, share, isStream),
    ),
  );
}

function added(
  timings: Readonly<Record<Side, readonly Timing[]>>,
  name: string,
  what: keyof Timing,
  share: number,
  isStream: boolean,
): Figures {
  const ms = (side: Side): number =>
    quantile(
      timings[side].map((timing) => timing[what]),
      share,
    );
  return {
    bench: `gateway, ${isStream ? 'stream' : 'whole'}, ${name}`,
    source: stepSource,
    samples: timings.gateway.length,
    gatewayMs: rounded(ms('gateway')),
    bareMs: rounded(ms('bare')),
    directMs: rounded(ms('direct')),
    addedToBareMs: rounded(ms('gateway') - ms('bare')),
    ratio: rounded(ms('gateway') / ms('bare')),
    required: (isStream ? required[name] : undefined) ?? 'nothing',
  };
}
