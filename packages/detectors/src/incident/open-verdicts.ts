import { isOpenAfter } from '@loopwatch/contract';
import type { PureVerdict } from './verdict.ts';

/** The open incidents of a session, by their latest verdict. */
export class OpenVerdicts {
  protected readonly open = new Map<string, PureVerdict>();

  note(verdicts: readonly PureVerdict[]): void {
    for (const verdict of verdicts) {
      if (isOpenAfter(verdict)) this.open.set(verdict.incidentId, verdict);
      else this.open.delete(verdict.incidentId);
    }
  }

  isOpen(incidentId: string): boolean {
    return this.open.has(incidentId);
  }

  clear(): void {
    this.open.clear();
  }

  /** The latest verdict of each open incident, oldest incident first. */
  get verdicts(): readonly PureVerdict[] {
    return [...this.open.values()];
  }
}
