import { messageOf } from '@loopwatch/contract';
import kafkajs from 'kafkajs';
import { waitFor } from '../wait-for.ts';
import type { BrokerProcess, BrokerRunner } from './broker-process.ts';

/**
 * Starts the broker and waits until it responds and sees this many brokers: a restarted node is not part of its
 * cluster yet.
 *
 * @throws Error with the broker's last output if it does not, after stopping it.
 */
export async function launchBroker(
  runner: BrokerRunner,
  isReady: (address: string) => Promise<boolean> = answers,
): Promise<BrokerProcess> {
  const broker = await runner.launch();
  const state = { gone: false };
  void broker.exited.then(() => {
    state.gone = true;
  });
  try {
    await waitFor(() => state.gone || isReady(runner.address), {
      describe: `Kafka to answer on ${runner.address}`,
    });
    if (state.gone) throw new Error('Kafka ended while it started');
    return broker;
  } catch (error) {
    const output = await broker.output();
    await broker.kill();
    const lines = output.trim().split('\n');
    const words = lines
      .filter((line) => !line.startsWith('\tat '))
      .slice(-20)
      .join('\n');
    throw new Error(`${messageOf(error)}; its last words:\n${words}`, {
      cause: error,
    });
  }
}

async function answers(address: string): Promise<boolean> {
  return (await brokersSeenFrom(address)).length > 0;
}

/** The ids of the live brokers according to the broker at this address; none if it does not respond. */
export async function brokersSeenFrom(address: string): Promise<number[]> {
  try {
    return await withTestAdmin([address], async (admin) => {
      const { brokers } = await admin.describeCluster();
      return brokers.map(({ nodeId }) => nodeId);
    });
  } catch {
    return [];
  }
}

/** Runs `use` with an admin client that gives up at the first failure. */
export async function withTestAdmin<T>(
  brokers: readonly string[],
  use: (admin: kafkajs.Admin) => Promise<T>,
): Promise<T> {
  const admin = new kafkajs.Kafka({
    brokers: [...brokers],
    logLevel: kafkajs.logLevel.NOTHING,
    requestTimeout: 3_000,
    retry: { retries: 0 },
  }).admin();
  try {
    await admin.connect();
    return await use(admin);
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}
