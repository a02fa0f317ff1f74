import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

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
  </dependencies>
</project>
`;

const cache = join(homedir(), '.cache', 'loopwatch');
const folder = join(cache, `kafka-${kafkaVersion}`);

/** Whether a command of that name answers. */
export async function hasCommand(command: string, ...args: readonly string[]): Promise<boolean> {
  return run(command, args).then(
    () => true,
    () => false,
  );
}

/**
 * The folder with Apache Kafka's jars, fetched by Maven the first time (about 46 MB). Processes that do so at the same
 * time each fetch their own; the first to finish wins.
 *
 * @returns undefined when they are not there yet and there is no Maven to fetch them.
 * @throws Error with Maven's own words when the download fails.
 */
export async function kafkaJars(): Promise<string | undefined> {
  if (existsSync(folder)) return folder;
  if (!(await hasCommand('mvn', '--version'))) return undefined;
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(join(cache, 'download-'));
  try {
    await writeFile(join(work, 'pom.xml'), pom);
    const goal = 'dependency:copy-dependencies';
    const jars = join(work, 'jars');
    await run(
      'mvn',
      ['--batch-mode', '--quiet', goal, '-DincludeScope=runtime', `-DoutputDirectory=${jars}`],
      {
        cwd: work,
      },
    );
    await rename(jars, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
    return folder;
  } catch (error) {
    const output = error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error);
    throw new Error(
      `Maven could not fetch Kafka ${kafkaVersion}; check the network, or give a broker by KAFKA_BROKERS.\n${output}`,
      { cause: error },
    );
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
