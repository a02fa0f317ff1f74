import type {} from 'vitest';
import type { TestProject } from 'vitest/node';
import { clientsPython } from './python-environment.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The Python with the official clients. */
    clientsPython: string;
  }
}

/** Vitest calls this once before the project's tests. */
export default async function setup({ provide }: TestProject): Promise<void> {
  provide('clientsPython', await clientsPython());
}
