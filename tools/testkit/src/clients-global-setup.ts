import type {} from 'vitest';
import type { TestProject } from 'vitest/node';
import { codingAgents } from './coding-agents.ts';
import { clientsPython } from './python-environment.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The Python with the official clients. */
    clientsPython: string;
    /** The folder with the commands of the coding agents. */
    codingAgents: string;
  }
}

/** Vitest calls this once before the project's tests. What several files need is installed here, so that it is installed once. */
export default async function setup({ provide }: TestProject): Promise<void> {
  provide('clientsPython', await clientsPython());
  provide('codingAgents', await codingAgents());
}
