import { freePorts } from '../ports.ts';
import type { BrokerRunner } from './broker-process.ts';
import { archivedClasses } from './kafka-classes.ts';
import { dockerRunner } from './kafka-docker.ts';
import { hasCommand, kafkaJars, kafkaVersion } from './kafka-jars.ts';
import { javaRunner } from './kafka-java.ts';
import { singleNodeProperties } from './kafka-properties.ts';

const install = 'sudo apt-get install -y maven default-jre-headless';

/**
 * Finds a way to run a single broker on this machine: Java with Kafka's jars, otherwise Docker.
 *
 * @param quickStart limits JIT compilation, see JavaNode
 * @throws Error with the one command that installs what is missing.
 */
export async function findRunner(quickStart: boolean): Promise<BrokerRunner> {
  const jars = await findJars();
  if (jars !== undefined) {
    const [client = 0, controller = 0] = await freePorts(2);
    return javaRunner(jars, {
      address: `127.0.0.1:${client}`,
      properties: singleNodeProperties({ client, controller }),
      classes: await archivedClasses(jars),
      quickStart,
    });
  }
  if (await hasCommand('docker', 'info')) return dockerRunner();
  throw new Error(
    `The tests need Apache Kafka ${kafkaVersion}, and there is neither Java with Maven nor a Docker engine to run it. ` +
      `Install both with: ${install} (or give a running broker by KAFKA_BROKERS)`,
  );
}

/**
 * Kafka's jars on a machine with Java, for brokers with several nodes or listeners and for Kafka's own tools.
 *
 * @throws Error with the one command that installs what is missing.
 */
export async function requireJars(): Promise<string> {
  const jars = await findJars();
  if (jars !== undefined) return jars;
  throw new Error(
    `The tests need Java and the jars of Apache Kafka ${kafkaVersion}, which Maven fetches. Install both with: ${install}`,
  );
}

async function findJars(): Promise<string | undefined> {
  return (await hasCommand('java', '-version')) ? kafkaJars() : undefined;
}
