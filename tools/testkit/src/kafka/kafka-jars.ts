import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { messageOf } from '@loopwatch/contract';
import { cachedFolder, cachePath } from '../cached-folder.ts';
import { copyJars } from '../maven.ts';

const run = promisify(execFile);

export const kafkaVersion = '4.1.1';

const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>dev.loopwatch</groupId>
  <artifactId>kafka-jars</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId>
      <artifactId>kafka_2.13</artifactId>
      <version>${kafkaVersion}</version>
    </dependency>
    <!-- The console tools, without what else is in Kafka's distribution. -->
    <dependency>
      <groupId>org.apache.kafka</groupId>
      <artifactId>kafka-tools</artifactId>
      <version>${kafkaVersion}</version>
      <exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>
    </dependency>
    <!-- Without it a broker is silent, also about why it does not start. -->
    <dependency>
      <groupId>org.apache.logging.log4j</groupId>
      <artifactId>log4j-slf4j-impl</artifactId>
      <version>2.24.3</version>
      <exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>
    </dependency>
  </dependencies>
</project>
`;

/** Each list of jars has its own folder. */
const name = `kafka-${kafkaVersion}-${createHash('sha256').update(pom).digest('hex').slice(0, 8)}`;

/** Whether a command of that name works. */
export async function hasCommand(command: string, ...args: readonly string[]): Promise<boolean> {
  return run(command, args).then(
    () => true,
    () => false,
  );
}

/**
 * The folder with Apache Kafka's jars, fetched by Maven the first time (about 46 MB).
 *
 * @returns undefined if they are not cached and Maven is missing.
 * @throws Error with Maven's output when the download fails.
 */
export async function kafkaJars(): Promise<string | undefined> {
  if (!existsSync(cachePath(name)) && !(await hasCommand('mvn', '--version'))) return undefined;
  return cachedFolder(name, fetchJars);
}

async function fetchJars(folder: string): Promise<void> {
  await copyJars(pom, folder).catch((error: unknown) => {
    throw new Error(
      `Maven could not fetch Kafka ${kafkaVersion}; check the network, or give a broker by KAFKA_BROKERS.\n${messageOf(error)}`,
      { cause: error },
    );
  });
}
