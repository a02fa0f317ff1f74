import { canonicalArguments, OpenVerdicts, type PureVerdict } from '@loopwatch/detectors';
import type { ToolCall } from '../api/conversation.ts';

/** The open incidents of a session. A loop that continues is blocked even without a new verdict. */
export class OpenLoops extends OpenVerdicts {
  /**
   * The loop to block that this call continues. Must be called after the analyzer has processed the call, since it
   * resolves loops that the call is not part of.
   */
  continuedBy(call: ToolCall): PureVerdict | undefined {
    for (const [id, verdict] of this.open) {
      if (verdict.action !== 'block' || verdict.kind !== 'loop' || !continues(verdict, call)) continue;
      // A repetition counts even without a verdict of its own.
      const counted = { ...verdict, count: verdict.count + 1 };
      this.open.set(id, counted);
      return counted;
    }
    return undefined;
  }

  /** The stagnation to block that results of these tools continue. */
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

  /** The exhausted budget, if any: nothing more may run. */
  get overBudget(): PureVerdict | undefined {
    return [...this.open.values()].find(
      ({ detector, action }) => detector === 'budget' && action === 'block',
    );
  }
}

function continues({ detector, tool }: PureVerdict, { name, args }: ToolCall): boolean {
  if (detector === 'tool-cycle') return true;
  if (tool === null) return false;
  if (detector === 'tool-repeat') return tool.name === name.slice(0, 256);
  return detector === 'stagnation' && tool.signature === `${name}:${canonicalArguments(args)}`;
}
