import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AgentEvent } from '@loopwatch/contract';
import type { PublicRun } from './runs.ts';

type RunId = Pick<PublicRun, 'dataset' | 'sessionId'>;

/** The runs fetched so far, as events; a file for each. */
export class RunCache {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  has(run: RunId): boolean {
    return existsSync(this.#fileOf(run));
  }

  read(run: RunId): AgentEvent[] {
    const lines = readFileSync(this.#fileOf(run), 'utf8').trim().split('\n');
    return lines.map((line) => JSON.parse(line) as AgentEvent);
  }

  /** A run is there completely or not at all, also after an interruption. */
  write(run: RunId, events: readonly AgentEvent[]): void {
    const file = this.#fileOf(run);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.new`, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    renameSync(`${file}.new`, file);
  }

  #fileOf({ dataset, sessionId }: RunId): string {
    return join(this.folder, dataset, `${encodeURIComponent(sessionId)}.jsonl`);
  }
}
