import { altersState } from '../../calls/call-nature.ts';
import { AHEAD, commandFacts, waits } from '../../calls/command-line.ts';
import { isPolling, isPollingStep } from '../../calls/polling.ts';
import { SEARCHES } from '../../calls/searches.ts';
import {
  type CallStep,
  changesSomething,
  isVaried,
  mayChange,
  type PastCall,
  soleToolOf,
} from '../../calls/step.ts';
import { BRINGS_ABOUT, SETS_STATE } from '../../calls/verbs.ts';
import { counted, quotedResult, sentence } from '../../incident/shown-calls.ts';
import { separateWords, wordIn } from '../../lib/separate-words.ts';
import { stringsIn, valuesIn } from '../../results/said-values.ts';
import type { StagnationRule } from './options.ts';

/** A step is examined only if its answer came within this many steps: a loop has few different answers. */
const NEAR = 6;
/** Different answers that may take turns. */
const MAX_ANSWERS = 3;
/** Steps of other tools, which change nothing, allowed between two calls. */
const LOOKS_BETWEEN = 2;
/** An answer of so many lines is more than a receipt, even if it says that something succeeded. */
const ANSWER_LINES = 4;

/** Programs that judge what is there: their answer counts even if it is no more than `ok`, or nothing. */
const CHECKS =
  /\b(?:\w*tests?|specs?|checks?|\w*lint|verify|validate|vet|tsc|mypy|pyright|ruff|clippy|rspec|jest|mocha|tox|nox|typecheck|build|compile|diff|cmp|jq)\b/i;
/** Where in its input a program found something: line and column, not a time. */
const FINDING = /(?:^[ \t]{0,8}|:)\d+:\d+\b(?![:)])/m;
/** Words of commands that have an effect each time, so that their equal receipts mean progress. */
const ACTS = new RegExp(
  `\\b(?:${SETS_STATE}|${BRINGS_ABOUT}|add|send|migrate|convert|encode|generate|export|import|copy|register|enqueue|drop|alter)\\b|\\s-X ?(?!GET|HEAD)[A-Z]|\\s(?:-d|--data\\S*|-F|--form)\\s`,
  'i',
);

/**
 * One question in few wordings: a reading tool, or one program with other options, whose answers are all known, while
 * the calls bring hardly any new words. A call that names a new target, such as another file, makes progress through a
 * list.
 */
export const knownAnswers: StagnationRule = ({ rounds, settled }, { options, knowledge: { agents } }) => {
  const { sameAnswer: threshold } = options;
  if (rounds.length < threshold || !isNear(rounds, settled)) return null;
  const asked = questionOf(settled);
  if (asked === null) return null;
  const run = runOf(rounds, asked);
  const latestNew = latestNewAnswer(run);
  const known = run.slice(latestNew + 1);
  const answers = new Set(known.map(({ call }) => call.result?.form)).size;
  // Of a single answer, the first is one of the repetitions.
  const steps = (answers === 1 ? run.slice(latestNew) : known).map(({ step }) => step);
  const count = steps.length;
  if (count < threshold || answers > MAX_ANSWERS || !isVaried(steps)) return null;
  // Several names searched for in several places bring fewer new words than calls, too.
  const callsPerWording = asked.call.result?.negative || asked.program === 'grep' ? 4 : 2;
  if (callsPerWording * newWordings(run, latestNew) > known.length + 1) return null;
  const what = asked.program === null ? asked.call.identity.name : `the program ${asked.program}`;
  return {
    rule: 'known-answers',
    steps,
    count,
    threshold,
    thresholdOf: { setting: 'stagnation.same_answer', value: threshold },
    ...sentence`${what} was called ${counted(count)} times in a few wordings and returned only known answers${quotedResult(asked.call, agents)}`,
  };
};

/** Whether a step shortly before had the answer of the latest one. */
function isNear(rounds: readonly CallStep[], settled: CallStep): boolean {
  const form = settled.calls[0]?.result?.form;
  for (let i = rounds.length - 2; i >= Math.max(0, rounds.length - 1 - NEAR); i -= 1)
    if (rounds[i]?.calls[0]?.result?.form === form) return form !== undefined;
  return false;
}

interface Question {
  readonly step: CallStep;
  readonly call: PastCall;
  /** The program, if the call runs one. */
  readonly program: string | null;
}

/** The question that a step asks: a single call that changes nothing by itself and got an answer. */
function questionOf(step: CallStep): Question | null {
  const [call] = step.calls;
  const { result } = call ?? {};
  if (step.kind !== 'ok' || step.calls.length !== 1 || !call || !result || step.explained) return null;
  if (isPollingStep(step)) return null;
  const { nature } = call;
  if (!nature.runs) {
    const isAnswered = !result.trivial || result.shown.trim().split('\n').length >= ANSWER_LINES;
    const asks = nature.asks && !nature.changes && !nature.gui && !nature.navigates;
    const says = result.negative ? SEARCHES.test(call.identity.name) : isAnswered && !result.empty;
    return asks && says ? { step, call, program: null } : null;
  }
  const { line } = commandFacts(call.identity);
  if (line === undefined || altersState(call)) return null;
  const program = programOf(line);
  if (program === null || (nature.changes && ACTS.test(line)) || result.empty) return null;
  return !result.bare || program === 'grep' || CHECKS.test(line) ? { step, call, program } : null;
}

/** The latest steps that ask the same tool or program, oldest first. */
function runOf(rounds: readonly CallStep[], { call, program }: Question): Question[] {
  const run: Question[] = [];
  let between = 0;
  for (let i = rounds.length - 1; i >= 0 && between <= LOOKS_BETWEEN; i -= 1) {
    const step = rounds[i] as CallStep;
    const question = soleToolOf(step) === call.identity.name ? questionOf(step) : null;
    if (question !== null && question.program === program) {
      run.push(question);
      between = 0;
    } else if (step.explained || changesSomething(step) || isPollingStep(step)) break;
    else between += 1;
  }
  return run.reverse();
}

/** The index of the latest answer that no call of the run had before. */
function latestNewAnswer(run: readonly Question[]): number {
  const seen = new Set<string>();
  let latest = 0;
  for (const [i, { call }] of run.entries()) {
    const form = call.result?.form ?? '';
    if (!seen.has(form)) latest = i;
    seen.add(form);
  }
  return latest;
}

/** How many calls after the one at an index bring a word that no call of the run had before. */
function newWordings(run: readonly Question[], index: number): number {
  const seen = new Set<string>();
  let count = 0;
  for (const [i, question] of run.entries()) {
    const words = wordsOf(question);
    if (i > index && words.some((word) => !seen.has(word))) count += 1;
    for (const word of words) seen.add(word);
  }
  return count;
}

/** Says that a target is not there; a tool that is not there is none. */
const ABSENT =
  /^(?!.*\btool\b)[^]*(?:not.?found|not exist|\b404\b|no such file|^\W*no \w+ (?:with|for) |not installed|no module named|could not resolve to)/i;
/** Tools that give a verdict on what they are asked about, which may be that it is denied or invalid. */
const JUDGES = wordIn(
  '(?<!browser_)check|verif\\w*|valid\\w*|test|lint|polic\\w*|permission|allowed|simulate|prue?f\\w*|can|is|has',
);
/** What says that the tool itself failed, or that an answer was guessed. */
const FAULT = /^\W*error\b|\b(?:match|key|token|session|server|service|argument|parameter|log in)\b/i;

/**
 * Whether each step has a program check, or ask for, another target, whose findings are its answer and not a failure, or
 * whether each asks for another one that is not there.
 */
export function checksTargets(steps: readonly CallStep[], byAnyCommand = false): boolean {
  // Each names its own target.
  const isOwn = new Set(steps.map(({ calls }) => calls[0]?.result?.failure)).size === steps.length;
  const run = steps.flatMap((step): Question[] => {
    const [call] = step.calls;
    if (call === undefined) return [];
    const { line = '' } = commandFacts(call.identity);
    const shown = call.result?.shown ?? '';
    const isCheck =
      byAnyCommand ||
      CHECKS.test(line) ||
      FINDING.test(shown) ||
      (isOwn && call.nature.runs && ABSENT.test(shown)) ||
      (waits(line) && isPolling(call)) ||
      asksInVain(call);
    const program = isCheck ? programOf(line) : null;
    return program !== null || (isCheck && !call.nature.runs) ? [{ step, call, program }] : [];
  });
  return (
    run.length === steps.length &&
    run.every(({ program }) => program === run[0]?.program) &&
    newWordings(run, 0) === run.length - 1 &&
    !lacksOneTarget(run)
  );
}

/** Whether a call that only looks learns that its target is not there. A statement that names something else is a guess. */
function asksInVain(call: PastCall): boolean {
  const { identity, nature, result } = call;
  if (!nature.asks || mayChange(call) || (!nature.runs && / .* .* /.test(identity.arguments))) return false;
  const shown = result?.shown ?? '';
  if (!nature.gui && ABSENT.test(shown)) return true;
  return JUDGES.test(separateWords(identity.name)) && !FAULT.test(shown);
}

/** Whether what is not there is mostly the same, such as one file that is looked for in many folders. */
function lacksOneTarget(run: readonly Question[]): boolean {
  const names = run.map(missingName);
  return !names.includes(undefined) && new Set(names).size * 2 <= names.length;
}

/** What a call asks for, and learns that it is not there. */
function missingName(asked: Question): string | undefined {
  const { call, program } = asked;
  const shown = (asksInVain(call) && call.result?.shown.toLowerCase()) || '';
  // Of arguments that are unknown, the result may tell the file.
  if (call.identity.arguments.startsWith('{"argsHash') && shown.includes('file')) return shown;
  const names = wordsOf(asked).map((word) => word.slice(word.lastIndexOf('/') + 1).toLowerCase());
  return names.find((name) => name.length > 2 && name !== program && shown.includes(name));
}

/** What stands before the command proper: a change of folder, variables, and programs that run another one. */
const ALL_AHEAD = new RegExp(
  `^(?:cd [^;&|]*(?:&&|;) ?)?(?:(?:${AHEAD}|npx|bunx|uvx|(?:pnpm|yarn|bundle) exec|(?:poetry|uv) run|python3? -m) )*`,
);
const WORD = /"[^"]*"|'[^']*'|[^\s=]+/g;
const REDIRECTS = /^\d?>/;
/** Values by which an option is switched. */
const SWITCH = /^(?:0|1|true|false|on|off|yes|no|all|none|auto|always|never)$/i;

/** Where a command runs, and with which variables. */
const CONTEXT =
  /^cd ("[^"]*"|'[^']*'|[^\s;&|]+)|(?<=^|\s)(?!\w*(?:LOG|DEBUG|TRACE|COLOR|VERBOSE))[A-Z_][A-Z0-9_]*=(\S+)/g;

/** Programs that only write what the one after the pipe reads. */
const FEEDS = /^(?:echo|printf|yes)$/;

/** The words of a command up to its pipe, which only shapes the output, or a comment. */
function commandWords(line: string): string[] {
  const words: readonly string[] = line.trim().replace(ALL_AHEAD, '').match(WORD) ?? [];
  const fed = FEEDS.test(words[0] ?? '') ? words.indexOf('|') : -1;
  const end = words.findIndex((word, i) => (word === '|' && i !== fed) || word.startsWith('#'));
  return (end === -1 ? words : words.slice(0, end)).filter((word) => !REDIRECTS.test(word));
}

/** Programs that search, by any of which one pattern may be looked for. */
const GREPS = /^(?:[efz]?grep|rg|ag|ack)$/;

/** The name of the program that a command line runs; `null` if it runs several, of which one may change something. */
function programOf(line: string): string | null {
  const words = commandWords(line);
  const isOne =
    !line.trim().includes('\n') && words.every((word) => /^["']/.test(word) || !/[;&]/.test(word));
  return (isOne && words[0]?.split('/').at(-1)?.replace(GREPS, 'grep')) || null;
}

/** The words that say what a call asks for, without options. */
function wordsOf({ call: { identity }, program }: Question): string[] {
  if (identity.digest !== undefined) return [identity.digest];
  if (program === null)
    return valuesIn(identity.arguments).flatMap(
      (value) => value.toLowerCase().match(/[\p{L}\p{N}_.%/-]+/gu) ?? [],
    );
  const line = (commandFacts(identity).line ?? '').trim();
  const context = [...(ALL_AHEAD.exec(line)?.[0] ?? '').matchAll(CONTEXT)].map(
    ([, folder, value]) => folder ?? value ?? '',
  );
  // A host, or the folder to run in, may be an argument of its own.
  const beside = stringsIn(identity.arguments).filter((value) => !/\s/.test(value));
  return [...context, ...commandWords(line), ...beside].filter(
    (word) => !word.startsWith('-') && !SWITCH.test(word),
  );
}
