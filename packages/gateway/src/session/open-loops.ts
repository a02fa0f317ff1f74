import { canonicalArguments, OpenVerdicts, type PureVerdict } from '@loopwatch/detectors';
import type { ToolCall } from '../api/conversation.ts';

/** The open incidents of a conversation: a loop that goes on is stopped also where it is no news. */
export class OpenLoops extends OpenVerdicts {
  /**
   * The loop that this call goes on with, where it is one to be stopped. Called after the analyzer took the call, which
   * would have ended what the call does not belong to.
   */
  goingOn(call: ToolCall): PureVerdict | undefined {
    for (const [id, verdict] of this.open) {
      if (verdict.action !== 'block' || verdict.kind !== 'loop' || !goesOn(verdict, call)) continue;
      // A repetition that is no news counts all the same.
      const counted = { ...verdict, count: verdict.count + 1 };
      this.open.set(id, counted);
      return counted;
    }
    return undefined;
  }

  /** The loop that results of these tools go on with, where it is one to be stopped. */
  stagnating(tools: ReadonlySet<string>): PureVerdict | undefined {
    for (const verdict of this.open.values()) {
      const { detector, action, tool } = verdict;
      if (detector === 'stagnation' && action === 'block' && tool !== null && tools.has(tool.name))
        return verdict;
    }
    return undefined;
  }

  limit(detector: 'tool-limit' | 'turn-limit'): PureVerdict | undefined {
    return [...this.open.values()].find((verdict) => verdict.detector === detector);
  }

  /** The budget that is used up, if one is: nothing more may run. */
  get overBudget(): PureVerdict | undefined {
    return [...this.open.values()].find(
      ({ detector, action }) => detector === 'budget' && action === 'block',
    );
  }
}

function goesOn({ detector, tool }: PureVerdict, { name, args }: ToolCall): boolean {
  if (detector === 'tool-cycle') return true;
  if (tool === null) return false;
  if (detector === 'tool-repeat') return tool.name === name.slice(0, 256);
  return detector === 'stagnation' && tool.signature === `${name}:${canonicalArguments(args)}`;
}
