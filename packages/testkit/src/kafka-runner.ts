import type { BrokerRunner } from './broker-process.ts';
import { dockerRunner } from './kafka-docker.ts';
import { hasCommand, kafkaJars, kafkaVersion } from './kafka-jars.ts';
import { javaRunner } from './kafka-java.ts';

/**
 * What this machine can run a broker with: Java and Kafka's jars, else Docker.
 *
 * @throws Error with the one command that installs what is missing.
 */
export async function findRunner(): Promise<BrokerRunner> {
  const jars = (await hasCommand('java', '-version')) ? await kafkaJars() : undefined;
  if (jars !== undefined) return javaRunner(jars);
  if (await hasCommand('docker', 'info')) return dockerRunner();
  throw new Error(
    `The tests need Apache Kafka ${kafkaVersion}, and there is neither Java with Maven nor a Docker engine to run it. ` +
      'Install both with: sudo apt-get install -y maven default-jre-headless (or give a running broker by KAFKA_BROKERS)',
  );
}
