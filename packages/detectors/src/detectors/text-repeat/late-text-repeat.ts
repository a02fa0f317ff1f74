import type { VerdictOutcome } from '@loopwatch/contract';
import type { Detector, Step } from '../../incident/finding.ts';
import type { TextRepeatOptions } from './options.ts';
import { TextRepeat, type TextSnapshot } from './text-repeat.ts';

/** A {@link TextRepeat} from the first text on: many sessions only call tools. */
export class LateTextRepeat implements Detector {
  private readonly options: TextRepeatOptions;
  private started: TextRepeat | undefined;

  constructor(options: TextRepeatOptions) {
    this.options = options;
  }

  push(step: Step): void {
    if (step.event.type === this.options.stream) this.started ??= new TextRepeat(this.options);
    this.started?.push(step);
  }

  close(step: Step, outcome: VerdictOutcome): void {
    this.started?.close(step, outcome);
  }

  snapshot(): TextSnapshot | null {
    return this.started?.snapshot() ?? null;
  }

  restore(snapshot: TextSnapshot): void {
    this.started = new TextRepeat(this.options);
    this.started.restore(snapshot);
  }
}
