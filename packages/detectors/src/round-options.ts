import type { DetectionSettings, Mode, ToolContractSettings } from '@loopwatch/contract';
import { isOn } from './is-on.ts';
import { onlyLooks } from './only-looks.ts';
import { presets, type RoundPreset } from './presets.ts';
import type { ToolIdentity } from './tool-identity.ts';

/** What is declared of one tool. */
export interface ToolContract {
  /** The arguments that make a call what it is; `null`: all of them. */
  readonly identity: readonly string[] | null;
  /** Arguments that never make a difference. */
  readonly volatile: readonly string[];
  /** Asking again is what the tool is for: more patience; `null`: by what it is called, and by what comes back. */
  readonly poller: boolean | null;
  /** It changes the world, so what was tried before may be tried again; `null`: by what it is called, and with what. */
  readonly mutating: boolean | null;
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

const MUTATING =
  /(?:^|[_\-. ])(?:edit|write|patch|apply|create|delete|remove|update|insert|replace|move|rename|commit|install|set|put|post|append|save|mkdir|fix)(?:$|[_\-. ])/i;

/** Such a tool takes note, or passes something on: its answer is a receipt. */
const NOTING =
  /(?:^|[_\-. ])(?:think|thinking|thought|reason|reflect|plan|note|todo|memo|memory|remember|log|comment|report|say|speak|tell|send|message|reply|respond|notify)(?:$|[_\-. ])/i;

/** `getJobStatus` and `get_job_status` are the same words. */
export function toolWords(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2');
}

/** Whether the tool changes the world: declared, or by its name. */
export function isMutating(name: string, { contracts }: RoundOptions): boolean {
  return contracts.get(name)?.mutating ?? MUTATING.test(toolWords(name));
}

/** Whether the tool answers what it is asked, as far as its name tells. */
export function answersQuestions(name: string, options: RoundOptions): boolean {
  return !isMutating(name, options) && !NOTING.test(toolWords(name));
}

/** Whether a call may change the world: by what is declared, by its command, or by its tool's name. */
export function mayChange(identity: ToolIdentity, options: RoundOptions): boolean {
  const declared = options.contracts.get(identity.name)?.mutating;
  const looks = onlyLooks(identity);
  return declared ?? (looks === undefined ? isMutating(identity.name, options) : !looks);
}

/** The options of the rules over steps; `null` where the preset and the settings want none of them. */
export function roundOptions(
  settings: DetectionSettings,
  preset: RoundPreset | null,
  mode: Mode,
): RoundOptions | null {
  const { tool_cycle: cycle, stagnation, outage } = settings;
  const wanted = (block: Parameters<typeof isOn>[0]): boolean => isOn(block, preset !== null);
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
      Object.entries(settings.per_tool).map(([name, contract]) => [name, toolContract(contract)]),
    ),
  };
}

function toolContract({ identity, volatile, poller, mutating }: ToolContractSettings): ToolContract {
  return {
    identity: identity ?? null,
    volatile: volatile ?? [],
    poller: poller ?? null,
    mutating: mutating ?? null,
  };
}
