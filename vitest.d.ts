import type {} from 'vitest';

/** What `tools/testkit/src/kafka/kafka-global-setup.ts` provides, for the tests that inject it. */
declare module 'vitest' {
  interface ProvidedContext {
    kafkaBrokers: string[];
    /** What `tools/testkit/src/clients-global-setup.ts` provides. */
    clientsPython: string;
    codingAgents: string;
  }
}
