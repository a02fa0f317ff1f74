import type { BrokerProcess, BrokerRunner } from './broker-process.ts';
import { launchBroker } from './kafka-launch.ts';
import { findRunner } from './kafka-runner.ts';

/** A real Kafka for a test. */
export interface TestKafka extends AsyncDisposable {
  /** `host:port` of each broker. */
  readonly brokers: string[];
  /** Stops the broker and removes its data; no effect for `KAFKA_BROKERS`. */
  stop(): Promise<void>;
  /** Freezes the broker: connections stay open without replies. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Stops the broker but keeps its data and port. */
  stopBroker(): Promise<void>;
  startBroker(): Promise<void>;
}

export interface StartKafkaOptions {
  /** Starts a separate broker even if `KAFKA_BROKERS` names one, to stop or pause it. */
  readonly own?: boolean;
  /** Limits JIT compilation, for tests; see JavaNode. Default: false, as benchmarks need it. */
  readonly quickStart?: boolean;
}

/**
 * A ready Kafka: the one of `KAFKA_BROKERS`, otherwise a new single broker (KRaft, no topics, no automatic topic creation)
 * run by Java or Docker.
 *
 * @throws Error with the command that installs what is missing, or with the last output of the broker.
 */
export async function startKafka({
  own = false,
  quickStart = false,
}: StartKafkaOptions = {}): Promise<TestKafka> {
  const given = (process.env.KAFKA_BROKERS ?? '').split(',').filter((address) => address !== '');
  if (given.length > 0 && !own) return givenKafka(given);
  const runner = await findRunner(quickStart);
  try {
    return runningKafka(runner, await launchBroker(runner));
  } catch (error) {
    await runner.dispose();
    throw error;
  }
}

function runningKafka(runner: BrokerRunner, first: BrokerProcess): TestKafka {
  let broker: BrokerProcess | undefined = first;
  const running = () => {
    if (broker === undefined) throw new Error('the broker is stopped; call startBroker() first');
    return broker;
  };
  const stopBroker = async () => {
    await broker?.stop();
    broker = undefined;
  };
  const stop = async () => {
    await stopBroker();
    await runner.dispose();
  };
  return {
    brokers: [runner.address],
    pause: async () => running().suspend(),
    resume: async () => running().resume(),
    stopBroker,
    startBroker: async () => {
      broker ??= await launchBroker(runner);
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function givenKafka(brokers: string[]): TestKafka {
  const unsupported = () =>
    Promise.reject(
      new Error(
        `the broker on ${brokers.join(', ')} was given by KAFKA_BROKERS and is not the test's to stop; use startKafka({ own: true })`,
      ),
    );
  const nothing = () => Promise.resolve();
  return {
    brokers,
    pause: unsupported,
    resume: unsupported,
    stopBroker: unsupported,
    startBroker: unsupported,
    stop: nothing,
    [Symbol.asyncDispose]: nothing,
  };
}
