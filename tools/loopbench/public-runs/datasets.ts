import type { AgentEvent } from '@loopwatch/contract';
import { readClaudeCode } from './readers/claude-code.ts';
import { readHotpotQa } from './readers/hotpot-qa.ts';
import { readLiveMcp } from './readers/live-mcp.ts';
import { readWebAgent } from './readers/web-agent.ts';
import { readWebShop } from './readers/web-shop.ts';

/** Where labelled runs are published, and how their files are read. */
export interface Dataset {
  /** `owner/name` on GitHub. */
  readonly repository: string;
  /** A commit: its files never change. */
  readonly revision: string;
  /** Of the recordings; an SPDX id. */
  readonly license: string;
  /**
   * Reads one run.
   * @param text a file
   * @param part which run of the file; undefined if it has only one
   * @throws Error if the file has no such run
   */
  readonly read: (sessionId: string, text: string, part: string | undefined) => AgentEvent[];
}

/** By the `source` of the labels. */
export const datasets: Readonly<Record<string, Dataset>> = {
  'web-agents': {
    repository: 'nottelabs/open-operator-evals',
    revision: '50f8e472230cbcc9c4ff24e1e8ed5ae42683b238',
    license: 'MIT',
    read: readWebAgent,
  },
  'claude-code': {
    repository: 'entireio/cli',
    // Of the branch entire/checkpoints/v1.
    revision: '394f81fa',
    license: 'MIT',
    read: readClaudeCode,
  },
  react_webshop: {
    repository: 'ysymyth/ReAct',
    revision: 'a5c0827bf0ffa22897f654f3892e65d78d63aaf6',
    license: 'MIT',
    read: readWebShop,
  },
  reflexion_hotpotqa: {
    repository: 'noahshinn/reflexion',
    revision: 'e531a5c0d67bc8969683d0f6fd2ffc080a5c529d',
    license: 'MIT',
    read: readHotpotQa,
  },
  livemcpbench_sonnet4: {
    repository: 'icip-cas/LiveMCPBench',
    revision: '3c0aabcb9daef8fbb7ab35738c53fdbd2a6ce376',
    license: 'Apache-2.0',
    read: readLiveMcp,
  },
};
