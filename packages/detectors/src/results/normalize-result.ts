import type { AgentKnowledge } from '../agents/agent-knowledge.ts';
import { canonicalJson } from '../lib/canonical-json.ts';
import { fingerprint } from '../lib/digest.ts';
import { ownCopy } from '../lib/own-copy.ts';
import { separateWords } from '../lib/separate-words.ts';
import { withoutColors, withoutOverwritten } from '../lib/terminal-text.ts';
import { STEP_FRAME, withoutBudget } from './budget-frame.ts';
import { isElided } from './elided-result.ts';
import { errorWords, NO_ERROR, saysNothing } from './error-words.ts';
import { withoutStamp } from './leading-stamp.ts';
import { lexResult } from './lex-result.ts';
import type { LexedResult } from './lexed-result.ts';
import { isFrameLine, ResultFrames } from './result-frames.ts';
import { isEmptyAnswer, isNegativeAnswer, type ResultKind, resultKind } from './result-kind.ts';
import { bulkOf, type Comparable } from './sameness.ts';
import { type CallText, withoutEcho } from './strip-echoed-args.ts';
import { isUnderWay } from './under-way.ts';
import { unwrapped } from './unwrap-result.ts';

/** A tool's result, normalized for comparison. */
export interface NormalizedResult extends Comparable {
  /**
   * The error without its location in the program: the same for one error from two stacks. `null` if the result names
   * none.
   */
  readonly failure: string | null;
  /** The first lines of the error, up to where they quote the call, without numbers; `null` if nothing failed. */
  readonly head: string | null;
  /** The numbers of the head, separated by spaces. */
  readonly headNumbers: string;
  /** The result, or the error, without text echoed from the call: equal if two questions got the same answer. */
  readonly gist: string;
  /** The beginning of the result as it reads without what is around it: for display, and for rules that look for words. */
  readonly shown: string;
  /** Whether it only confirms that something was done: `ok`, `true`, nothing at all, `The file was saved.` */
  readonly bare: boolean;
  /** Whether it says so little that two questions may share it by chance: bare, or very short. */
  readonly trivial: boolean;
  /** Whether it says that nothing was found. */
  readonly empty: boolean;
  /** Whether it says that the requested work is still in progress. */
  readonly isUnderWay: boolean;
  /** Whether it briefly denies something, or lists nothing: that can be true of many things. */
  readonly negative: boolean;
}

const PHRASE = /\S \S+ \S/;

export const SHOWN_UNITS = 400;
/** Longer results are compared unchanged, to bound the cost of normalization. */
const NORMALISED_UNITS = 65_536;
const TRIVIAL_UNITS = 24;
/** In longer results, echoes of the call are not removed, to bound the cost of the search. */
const GIST_UNITS = 2000;

/** How well a hit fits the question. */
const SCORE = /\b[01]\.\d{2,}\b/g;

const BARE_UNITS = 200;
const BARE = /^(?:|null|none|true|undefined|\{\}|\[\]|""|\W*(?:\w+ completed with )?no output\W*)$/i;
const DONE =
  'done|ok|saved|stored|written|updated|created|modified|edited|applied|replaced|added|appended|removed|deleted|moved|renamed|copied|uploaded|attached|sent|submitted|posted|published|recorded|logged|noted|completed|finished|accepted|typed|clicked|scrolled';
const ACKNOWLEDGEMENT = new RegExp(
  `\\b(?:success|successful|successfully|succeeded)\\b|\\b(?:has|have|was|were|been)(?: now)? (?:${DONE})\\b|^\\W*(?:${DONE})\\b(?!:)|"(?:status|result)": ?"(?:${DONE})"`,
  'i',
);

/**
 * @param raw the tool's result
 * @param flag the producer's error flag, if any
 * @param call the call that the result belongs to
 */
export function normalizeResult(
  raw: unknown,
  flag: boolean | null | undefined,
  call: CallText,
  agents: AgentKnowledge,
): NormalizedResult {
  const { result, isError } = unwrapped(raw);
  const text = withoutColors(typeof result === 'string' ? result : canonicalJson(result ?? null));
  const own = withoutStamp(withoutBudget(agents.withoutNoise(withoutOverwritten(text))));
  const told = (call.frames ?? new ResultFrames()).without(own, call);
  if (isElided(told) && !isUnderWay(told)) {
    // Unknown: it says nothing, and equals no other result.
    const form = `left out ${String(call.at)}`;
    return { ...normalizeResult('', false, call, agents), form, gist: form, shown: told };
  }
  const kind = resultKind(told, flag ?? isError, call, agents);
  const plain = kind === 'error' ? told.replace(STEP_FRAME, '') : told;
  const isList = kind === 'ok' && plain.includes('\n') && call.isUnordered?.() === true;
  const read = isList ? plain.split('\n').sort().join('\n') : plain;
  const lexed = lexedOf(read, kind, call);
  const { normal } = lexed;
  const { failure, head, numbers } = kind === 'ok' ? NO_ERROR : errorWords(plain, call);
  const answer = failure ?? normal;
  // Answers to different questions are compared only if the question is a phrase.
  const isComparable =
    answer.length <= GIST_UNITS && (failure !== null || call.gui === true || PHRASE.test(call.said));
  const scored = call.reads === true ? answer.replace(SCORE, '') : answer;
  const gist = isComparable ? withoutEcho(scored, call, failure !== null) : answer;
  const form = fingerprint(normal);
  // A reminder may be all there is.
  const shown = plain.trim() === '' ? text : plain;
  const bare =
    BARE.test(normal) ||
    (normal.length <= BARE_UNITS && (ACKNOWLEDGEMENT.test(normal) || isFrameLine(plain, call.name)));
  return {
    form,
    bulk: bulkOf(lexed, kind),
    kind,
    failure: failure === null ? null : fingerprint(failure),
    head: head === null ? null : fingerprint(head),
    headNumbers: numbers,
    gist: gist === normal ? form : fingerprint(gist),
    shown: shown.length <= SHOWN_UNITS ? shown : ownCopy(shown, 0, SHOWN_UNITS),
    bare,
    trivial: bare || normal.length <= TRIVIAL_UNITS || saysNothing(normal),
    empty: isEmptyAnswer(normal),
    isUnderWay: kind === 'ok' && isUnderWay(plain),
    negative: isNegativeAnswer(normal),
  };
}

function lexedOf(plain: string, kind: ResultKind, call: CallText): LexedResult {
  const unchanged = { normal: plain, bulk: plain, holes: null, words: 0, keys: 0 };
  if (plain.length > NORMALISED_UNITS) return unchanged;
  const lexed = lexResult(plain, { isError: kind === 'error' });
  if (kind !== 'ok') return lexed;
  // A UUID is what was asked for where the call draws one, and where there is nothing else; so is an id, or a duration,
  // which is also what a measurement is for.
  const isAsked = DRAWN.test(lexed.normal) && (lexed.words === 0 || call.draws?.());
  return isAsked || isAllVolatile(lexed, call) || isMeasured(lexed, call) ? unchanged : lexed;
}

/** Commands and tools that measure how long something takes; a folder of such a name does not. */
const MEASURES =
  /bench(?<!\bcd \S{0,80}|swe.{0,8})(?:mark)?s?(?:[-_=][\w.-]*|\.\w{1,4})?(?![\w/.-])|\b(?:hyperfine|timeit|wrk|ab -\w|perf stat|k6 run|vegeta|lighthouse)\b|measure|perf\.\w|time_total|(?:load|response)[ _-]?time|latency/i;
/** What a benchmark reports. */
const MEASURED = /<duration>\/op\b|\bmean ±|\bp9\d\w*"?[:= ]{1,3}"?(?:\w+[:= ]{1,3})?<duration>|percentile/i;

function isMeasured({ normal }: LexedResult, { name, said, runs }: CallText): boolean {
  if (!normal.includes('<duration>')) return false;
  return (
    MEASURES.test(runs === true ? said : separateWords(name)) ||
    (normal.length <= GIST_UNITS && MEASURED.test(normal))
  );
}

const DRAWN = /<(?:uuid|temporary)>/;
/** A longer result is no single value. */
const VALUE_UNITS = 200;
const VOLATILE = /<(?:duration|id|n)>/;
/** Words beside durations that are the answer: `Elapsed: 2.3 s`, `real 0m1.2s`. */
const MAX_LABELS = 8;
/** Keys, labels, and what replaces volatile tokens. */
const UNSAID =
  /(?<![\w-])[\w-]{1,64}\\?"\W{0,4}?:|<[a-z]{1,16}>|\b(?:elapsed|took|time|total|real|user|sys(?:tem)?|mean|median|average|avg|min|max|latency|response|load|duration)\b|σ/gi;
/** An empty list says that there is nothing. */
const SAYS = /[\p{L}\d]|\[\]|\{\}/u;

/** Whether a result says nothing but a duration or an id: `{"gauge":"p99","ms":812}`, asked for `p99`. */
function isAllVolatile({ normal, words }: LexedResult, call: CallText): boolean {
  if (words > MAX_LABELS || normal.length > VALUE_UNITS || !VOLATILE.test(normal)) return false;
  return !SAYS.test(withoutEcho(normal, call).replace(UNSAID, ''));
}
