import type { DetectionSettings, Mode, ToolContractSettings } from '@loopwatch/contract';
import { presets, type RoundPreset } from './presets.ts';

/** What is declared of one tool. */
export interface ToolContract {
  /** The arguments that make a call what it is; `null`: all of them. */
  readonly identity: readonly string[] | null;
  /** Arguments that never make a difference. */
  readonly volatile: readonly string[];
  /** Asking again is what the tool is for: more patience. */
  readonly poller: boolean;
  /** It changes the world, so what was tried before may be tried again. */
  readonly mutating: boolean;
}

/** Options of the rules that look at calls together with their results. */
export interface RoundOptions {
  /** `null`: off. */
  readonly cycle: { readonly maxPeriod: number; readonly threshold: number; readonly mode: Mode } | null;
  readonly stagnation: {
    /** The same error of one tool in a row, under varying arguments. */
    readonly sameError: number;
    /** The same failing call with the same error, with other calls in between. */
    readonly sameFailure: number;
    /** Steps in a row that brought nothing that was not known. */
    readonly nothingNew: number;
    readonly mode: Mode;
  } | null;
  /** Failures in a row that are none of the agent's making. */
  readonly outage: { readonly threshold: number } | null;
  readonly contracts: ReadonlyMap<string, ToolContract>;
}

/** Where a preset has no rules over steps, those that are asked for start with these numbers. */
const fallback = presets.balanced.rounds as RoundPreset;

const POLLER = /(?:^|[_\-. ])(?:poll|wait|sleep|status|watch|await|heartbeat|tail)(?:$|[_\-. ])/i;
const MUTATING =
  /(?:^|[_\-. ])(?:edit|write|patch|apply|create|delete|remove|update|insert|replace|move|rename|commit|install|set|put|post|append|save|mkdir|fix)(?:$|[_\-. ])/i;

/** `getJobStatus` and `get_job_status` are the same words. */
function words(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2');
}

/** Whether the tool is for asking again: declared, or by its name. */
export function isPoller(name: string, { contracts }: RoundOptions): boolean {
  return contracts.get(name)?.poller ?? POLLER.test(words(name));
}

/** Whether the tool changes the world: declared, or by its name. */
export function isMutating(name: string, { contracts }: RoundOptions): boolean {
  return contracts.get(name)?.mutating ?? MUTATING.test(words(name));
}

/** The options of the rules over steps; `null` where the preset and the settings want none of them. */
export function roundOptions(
  settings: DetectionSettings,
  preset: RoundPreset | null,
  mode: Mode,
): RoundOptions | null {
  const { tool_cycle: cycle, stagnation, outage } = settings;
  const wanted = (block: Record<string, unknown>): boolean =>
    (block['enabled'] ?? (preset !== null || Object.values(block).some((value) => value !== undefined))) ===
    true;
  if (preset === null && ![cycle, stagnation, outage].some(wanted)) return null;
  const base = preset ?? fallback;
  return {
    cycle: wanted(cycle)
      ? {
          maxPeriod: cycle.max_period ?? base.cycle.maxPeriod,
          threshold: cycle.min_repeats ?? base.cycle.minRepeats,
          mode: cycle.mode ?? mode,
        }
      : null,
    stagnation: wanted(stagnation)
      ? {
          sameError: stagnation.same_error ?? base.stagnation.sameError,
          sameFailure: stagnation.same_failure ?? base.stagnation.sameFailure,
          nothingNew: stagnation.nothing_new ?? base.stagnation.nothingNew,
          mode: stagnation.mode ?? mode,
        }
      : null,
    outage: wanted(outage) ? { threshold: outage.min_failures ?? base.outage.minFailures } : null,
    contracts: new Map(
      Object.entries(settings.per_tool).map(([name, contract]) => [name, toolContract(name, contract)]),
    ),
  };
}

function toolContract(
  name: string,
  { identity, volatile, poller, mutating }: ToolContractSettings,
): ToolContract {
  return {
    identity: identity ?? null,
    volatile: volatile ?? [],
    poller: poller ?? POLLER.test(words(name)),
    mutating: mutating ?? MUTATING.test(words(name)),
  };
}
