import { isOpenAfter } from '@loopwatch/contract';
import type { PureVerdict } from './verdict.ts';

/** Incidents of a session that are open now, by their last verdict. */
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

  /** The last verdicts of what is open, the oldest incident first. */
  get verdicts(): readonly PureVerdict[] {
    return [...this.open.values()];
  }
}
