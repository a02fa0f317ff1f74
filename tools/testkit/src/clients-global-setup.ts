import { join } from 'node:path';
import type {} from 'vitest';
import type { TestProject } from 'vitest/node';
import { pythonEnvironment } from './python-environment.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The Python that has the official clients. */
    clientsPython: string;
  }
}

const requirements = join(
  import.meta.dirname,
  '../../../packages/gateway/test/clients/python/requirements.txt',
);

/** Vitest calls this once before the project's tests. */
export default async function setup({ provide }: TestProject): Promise<void> {
  provide('clientsPython', await pythonEnvironment(requirements));
}
