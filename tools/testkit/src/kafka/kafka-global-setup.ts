import type {} from 'vitest';
import type { TestProject } from 'vitest/node';
import { startKafka } from './kafka-broker.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** `host:port` of the brokers all integration tests share; topics and groups need unique names. */
    kafkaBrokers: string[];
  }
}

/** Vitest calls this once before the project's tests, and what it returns after them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const kafka = await startKafka({ quickStart: true });
  project.provide('kafkaBrokers', kafka.brokers);
  return () => kafka.stop();
}
