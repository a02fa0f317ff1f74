import type { AgentKnowledge } from '../agents/agent-knowledge.ts';
import { canonicalJson } from '../lib/canonical-json.ts';
import { fingerprint } from '../lib/digest.ts';
import { ownCopy } from '../lib/own-copy.ts';
import { separateWords } from '../lib/separate-words.ts';
import { withoutColors, withoutOverwritten } from '../lib/terminal-text.ts';
import { STEP_FRAME, withoutBudget } from './budget-frame.ts';
import { isElided } from './elided-result.ts';
import { withoutStamp } from './leading-stamp.ts';
import { lexResult, normalizeText } from './lex-result.ts';
import type { LexedResult } from './lexed-result.ts';
import { isFrameLine, ResultFrames } from './result-frames.ts';
import { isEmptyAnswer, isNegativeAnswer, type ResultKind, resultKind } from './result-kind.ts';
import { valuesIn } from './said-values.ts';
import { bulkOf, type Comparable } from './sameness.ts';
import { type CallText, ECHO, withoutEcho } from './strip-echoed-args.ts';
import { collapseSpaces } from './text-units.ts';
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

const TRACEBACK = 'Traceback (most recent call last)';
const EXCEPTION = /^[\w.]*(?:Error|Exception|Interrupt|Exit|Warning)\b.*$/gm;
const STACK = /^[ \t]+at .*$/gm;
/**
 * Wordings, with their framing, that only say that something failed; `grep` returns nothing else if it finds nothing.
 */
const SAYS_NOTHING =
  /\b(?:_?meta|content|textcontent|type|text|annotations|none|null|is_?error|true|false|exit(?:ed)?|return(?:ed)?|\w*(?:code|_id|_count|_seconds)|id|duration|status|command|process|with|failed|failure|errors?|stdout|stderr|output|no)\b|[^\p{L}\d]|\d+/iuy;
const PLACE =
  /\b((?:column|col|char|character|position|pos|offset|index)\b[\s:=#]{0,3}|(?:line |at \[)\d+:)\d+/gi;
/** What was tried of a kind that fails as a whole. */
const TRIED = /(?<!\S)\S+(: command not found)|calling the \w+( operation)/gi;
/** Units of a result that are searched for an error. */
const FAILURE_UNITS = 16_384;

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
  const failing = kind === 'ok' ? '' : withoutQuotes(plain, call);
  const words = failing === '' ? '' : failureOf(failing);
  const failure = saysNothing(words) ? null : words;
  const { head, numbers } = failure === null ? NO_HEAD : errorHead(failing, call);
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
    head: saysNothing(head) ? null : fingerprint(head),
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

/** A line, and what points into it below. */
const LINE = /^(.{4,})(?:\n[^\w\n]*\^.*)?/gm;
/** The margin that an editor prints before each line. */
const MARGIN = /^[\s\d:|>+-]*/;
/** A shorter line of the call may occur anywhere by chance. */
const QUOTED_UNITS = 4;
/** What MySQL quotes of a statement, up to its end. */
const NEAR = /(?<=near ')([^]+?)(?=' at line)/g;
/** Units of an error in which it quotes the call. */
const QUOTING_UNITS = 1600;

/** An error with an echo in place of the lines that it quotes of the call. */
function withoutQuotes(text: string, { said }: CallText): string {
  const values = valuesIn(said);
  const unquoted = (shown: string, line: string) => {
    const quoted = collapseSpaces(line.replace(MARGIN, ''));
    const isQuote = quoted.length >= QUOTED_UNITS && values.some((value) => value.includes(quoted));
    return isQuote || shown.startsWith('LINE ') ? ECHO : shown;
  };
  const head = text.slice(0, QUOTING_UNITS).replaceAll('\\n', '\n');
  return head.replace(NEAR, unquoted).replace(LINE, unquoted) + text.slice(QUOTING_UNITS);
}

/** The error's own message, without the stack trace and the position in the input. */
function failureOf(text: string): string {
  const message = exceptionIn(text) ?? text.slice(0, FAILURE_UNITS).replace(STACK, '');
  // An error with another id is the same error, one with another number may not be.
  const words = lexResult(message, { isError: false }).bulk;
  return words.slice(0, GIST_UNITS).replace(PLACE, '$1<n>').replace(TRIED, '<name>$1$2');
}

/** Stops at the first word that says something. */
function saysNothing(text: string): boolean {
  SAYS_NOTHING.lastIndex = 0;
  while (SAYS_NOTHING.lastIndex < text.length) if (!SAYS_NOTHING.test(text)) return false;
  return true;
}

/** The exception at the end of a Python traceback. */
function exceptionIn(text: string): string | undefined {
  const begin = text.slice(0, FAILURE_UNITS).lastIndexOf(TRACEBACK);
  if (begin === -1) return undefined;
  const lines = text.slice(begin).slice(0, FAILURE_UNITS).replaceAll('\\n', '\n');
  return [...lines.matchAll(EXCEPTION)].at(-1)?.[0];
}

const GOING_ON =
  '(?:pending|queued|starting(?! from)|in[ _-]?progress|not[ _-](?:yet[ _-](?!implemented|supported)\\w+|(?:ready|started|finished|completed?)(?!:)))';
/** Words in -ing of which none is work. */
const NO_WORK =
  '(?:fail|miss|warn|exist|(?:out)?stand|wyom|pass|conflict|block|noth|str|lack|upcom|incom|outgo|recurr|remain|expir|trend|thriv)ing\\b';
/** What takes a while, up to its ending. */
const WORK =
  '(?:re)?(?:start|boot|build|load|upload|download|process|print|index|sync|synchroni[sz]|render|deploy|train|convert|encod|transcod|scan|updat|upgrad|install|migrat|creat|provision|prepar|copy|comput|calculat|analy[sz]|generat|compil|import|export|crawl|heat|cool|replicat|restor|charg|queu|validat|archiv|connect|initiali[sz]|finali[sz]|drain|scal|propagat|clon|fetch|extract|compress|optimi[sz]|simulat|runn)ing';
/** Wordings of work in progress: the whole result, the value of a field, or an unambiguous phrase. */
const UNDER_WAY = new RegExp(
  [
    `^[^\\n:=]{1,40}[:=]\\W*(?:${WORK}|waiting)\\W*$`,
    `(?:status|state|phase|conclusion|health)["'\\\\]*\\s?[:=>]\\s?["'\\\\]*(?:\\w*${GOING_ON}|(?!\\w*${NO_WORK})\\w+ing\\b)`,
    `\\b(?:is|are|still|currently)(?: still| currently)? (?:${WORK}|waiting|sleeping|working|being)\\b`,
    `(?<![a-z]|\\b(?:no|0|was|were) )(?:${GOING_ON}|no new (?:output|messages)|check back|try again later|ContainerCreating|PodInitializing)\\b(?!['"\\\\]*\\s?[:=]\\s?['"]?(?:0|no|none|false|null)\\b)`,
    /\b(?:loading|processing|please wait)\b ?(?:\.{2,}|…)/.source,
    `^\\W*(?:still )?(?!${NO_WORK})[a-z]{2,20}ing\\W*$`,
    /"(?:is_?|all_?)?(?:done|ready|finished|completed?|online|loaded|synced|processed)\\*"\s?:\s?false/
      .source,
    `"(?:is_?)?${WORK}\\\\*"\\s?:\\s?true|^\\W*${WORK}\\b[^\\n:=]{0,60}$`,
    /(?:^|[:,] )being \w|\bstill (?:alive|busy)\b/.source,
    // French, Spanish, Portuguese, Italian, German, Dutch, Chinese, Japanese, Korean and Russian.
    /\b(?:en (?:cours|attente|proceso|curso|espera|revisión)|pend(?:i)?ente|em (?:andamento|processamento)|in (?:corso|attesa|Bearbeitung|behandeling|review)|(?:ausstehend|wartend)|wird (?:\w+ )?(?:ver|be)arbeitet|(?:noch nicht|pas encore|todavía no|aún no|ainda não|non ancora)|se está \w+ndo|está siendo|está sendo)\b/
      .source,
    /(?:处理|进行|运行|等待|排队|処理|進行|実行|待機|準備)中|(?:처리|진행|대기) ?중|в обработке|выполняется|ожида(?:ет|ние)/
      .source,
  ].join('|'),
  'i',
);
/** In a longer text, a mention of work in progress is not the status being waited for. */
const UNDER_WAY_UNITS = 300;
/** A placeholder for a picture that was not recorded: whether it has changed is unknown. */
const LEFT_OUT =
  /^\W*(?:image|screenshot|picture|binary|base64)(?:[ _-]?(?:data|content|output))?(?: (?:taken\b[^.:]{0,40}|(?:omitted|removed|elided|truncated)\b.{0,40}))?\W*$/i;

/** Whether a result says that work is still in progress, or is a placeholder for unrecorded content. */
export function isUnderWay(text: string): boolean {
  return text.length <= UNDER_WAY_UNITS && (UNDER_WAY.test(text) || LEFT_OUT.test(text));
}

/** Lines that identify an error, apart from those of its framing; those after them show its location. */
const LINES = 5;
const UNITS = 400;
/** A number, and whether it counts something: fewer failures are a different error. */
const NUMBER =
  /\d+( (?:failed|failures?|failing|passed|errors?|warnings?|problems?|tests?|left|remaining|of)\b)?/g;

interface ErrorHead {
  readonly head: string;
  readonly numbers: string;
}
const NO_HEAD: ErrorHead = { head: '', numbers: '' };
/** The numbers of a head that are kept. */
const HEAD_NUMBERS = 8;

/**
 * The first lines of an error, up to where they quote the call, with digits folded: equal for attempts rejected for
 * the same reason, although each rejection quotes its own attempt.
 */
function errorHead(text: string, call: CallText): ErrorHead {
  const [unquoted = ''] = `\n${text.slice(0, QUOTING_UNITS)}`.split(`\n${ECHO}`, 1);
  const lines = unquoted.split('\n').filter((line) => !saysNothing(line));
  const opening = lines.slice(0, LINES).join('\n');
  const own = withoutEcho(normalizeText(opening).slice(0, UNITS), call, true);
  const head = own.replace(NUMBER, (number: string, counted?: string) => (counted ? number : '#'));
  // None of clocks and dates; a percentage moves towards 100.
  const numbers =
    opening
      .slice(0, UNITS)
      .replace(/\d%/g, '$& 100')
      .match(/(?<![\d:]|\d-)\d+(?:\.\d+)?(?![\d:]|-\d)/g) ?? [];
  return { head, numbers: numbers.slice(0, HEAD_NUMBERS).join(' ') };
}
