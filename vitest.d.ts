import type {} from 'vitest';

/** What `packages/testkit/src/kafka-global-setup.ts` provides, for the tests that inject it. */
declare module 'vitest' {
  interface ProvidedContext {
    kafkaBrokers: string[];
    /** What `packages/testkit/src/clients-global-setup.ts` provides. */
    clientsPython: string;
  }
}
