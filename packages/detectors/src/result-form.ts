import { type Said, withoutEcho } from './call-echo.ts';
import { canonicalJson } from './canonical-json.ts';
import { fingerprint } from './tool-identity.ts';

/** What a result is to the question whether anything happened. */
export type ResultKind = 'ok' | 'error' | 'transient';

/** A tool's result in the form in which results are compared. */
export interface ResultForm {
  /** Equal for results that differ only in what changes by itself; long ones as a digest. */
  readonly form: string;
  readonly kind: ResultKind;
  /** What failed, without where in the program: the same for one error from two stacks. `null` if it does not say. */
  readonly failure: string | null;
  /** The result, or what failed, without what it repeats of the call: one answer to two questions. */
  readonly gist: string;
  /** The beginning of the result as it came, for people. */
  readonly shown: string;
  /** Whether it says no more than that something was done: `ok`, `true`, nothing at all, `The file was saved.` */
  readonly bare: boolean;
  /** Whether it says so little that it may well be the answer to two questions: bare, or very short. */
  readonly trivial: boolean;
  /** Whether it says that there is nothing. */
  readonly empty: boolean;
}

const PHRASE = /\S \S+ \S/;
const NO_CALL: Said = { name: '', said: '{}' };

const SHOWN_UNITS = 400;
/** Longer results are compared as they are: normalising has to cost a bounded time. */
const NORMALISED_UNITS = 65_536;
const TRIVIAL_UNITS = 24;
/** Longer results are taken for what they are: looking for the call's words in them has to cost a bounded time. */
const GIST_UNITS = 2000;

const BARE_UNITS = 200;
const BARE = /^(?:|null|none|true|undefined|\{\}|\[\]|""|\(no output\))$/i;
/** There is nothing of what was asked for. */
const EMPTY =
  /^(?:\[\]|\W*(?:sorry, )?(?:no|0|zero) (?:\w+ ){0,2}(?:results?|matches|match|hits|records?|rows|documents?|items|entries|pages?)\b.{0,80}|(?:nothing|none)(?: was| were)? found\b.{0,80})$/i;
const DONE =
  'done|ok|saved|stored|written|updated|created|modified|edited|applied|replaced|added|appended|removed|deleted|moved|renamed|copied|uploaded|attached|sent|submitted|posted|published|recorded|logged|noted|completed|finished|accepted|typed|clicked|scrolled';
const ACKNOWLEDGEMENT = new RegExp(
  `\\b(?:success|successful|successfully|succeeded)\\b|\\b(?:has|have|was|were|been)(?: now)? (?:${DONE})\\b|^\\W*(?:${DONE})\\b(?!:)|"(?:status|result)": ?"(?:${DONE})"`,
  'i',
);

/** What changes by itself from call to call, and what takes its place before results are compared. */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours begin with one.
  [/\u001b\[[0-9;?]*[ -/]*[@-~]/g, ''],
  [/\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?/g, '<time>'],
  [
    /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? (?:\d{1,2} )?[A-Z][a-z]{2}(?: \d{1,2})?,? (?:\d{4} )?\d{2}:\d{2}:\d{2}(?: \d{4})?/g,
    '<time>',
  ],
  [/\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?\b/g, '<time>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<uuid>'],
  [/\b0x[0-9a-f]{4,}\b/gi, '<address>'],
  [/\b\d+(?:\.\d+)?\s?(?:ns|µs|us|ms|s|secs?|seconds?|mins?|minutes?)\b/g, '<duration>'],
  [/\b(pid|process(?: id)?|ppid|thread)(["']?\s*(?:[:=#]\s*)?)\d+/gi, '$1$2<pid>'],
  [
    /\b((?:request|trace|span|correlation|session|run|job|message)[ _-]?id|req)(["']?\s*(?:[:=#]\s*)?["']?)[\w-]{4,}/gi,
    '$1$2<id>',
  ],
  [
    /("(?:timestamp|time|ts|date|created(?:_at)?|updated(?:_at)?|elapsed|duration|took|latency)(?:_?ms)?"\s*:\s*)\d+(?:\.\d+)?/gi,
    '$1<time>',
  ],
  [/\b1[5-9]\d{8}(?:\d{3})?\b/g, '<time>'],
  [/(?:\/private)?\/(?:tmp|var\/folders\/\w+\/\w+\/T)\/tmp[\w.-]+/g, '<temporary>'],
  [/\b(attempt|try|retry)(\W{1,3})\d+\b/gi, '$1$2<n>'],
  [/\b\d+ (attempts?|tries|retries|guesses)\b/gi, '<n> $1'],
  [/\s+/g, ' '],
];

/** A connection that is refused is not among these: nothing listens there, and waiting does not change it. */
const TRANSIENT =
  /\b(?:429|502|503|504)\b.{0,40}(?:error|too many|unavailable|gateway|rate)|(?:error|status|code|http)\W{0,3}(?:429|50[0234])\b|rate.?limit|too many requests|timed[ -]?out|time-?out (?:error|exceeded|after)|\btimeout\b|ETIMEDOUT|ECONNRESET|EAI_AGAIN|service unavailable|bad gateway|gateway time-?out|temporarily unavailable|overloaded|connection (?:reset|aborted)/i;

const ERROR =
  /^\W*(?:error(?!\\*["']\s*:)|exception|traceback|fail(?:ed|ure)?|fatal|invalid|cannot|can't|could not|couldn't|unable|no such|not found|permission denied|access denied|denied|unauthori[sz]ed|forbidden|command not found|unknown|unexpected|syntax ?error|usage:|nothing happen(?:s|ed)\b)|(?:error|exception|traceback \(most recent call last\)|ENOENT|EACCES|EPERM)\b\s*[:(]|\bnpm (?:err!|error)|: command not found|ECONNREFUSED|connection refused|\b[1-9]\d* failed\b|"?is_?error"?\s*[:=]\s*true|"(?:status|state|result)\\*"\s*:\s*\\*"(?:error|failed|failure)\b|["']error\\*["']\s*:\s*\\*(?:["'][^"'\\]|\{\s*[^}\s])|\bexit(?:ed)?(?: with)?(?: code| status)?[:= ]+[1-9]|\bvalidation errors? (?:for|in)\b|\bno replacement was performed\b|\bno match found for replacement\b/i;
/** Somebody, or some rule, did not let the call through; said in few words. */
const REFUSED =
  /\b(?:user|permission|request|command|operation|tool(?: use| call)?|access)\b.{0,40}\b(?:denied|rejected|refused|declined|not (?:allowed|permitted|authorized))\b/i;
const REFUSED_UNITS = 300;

const TRACEBACK = 'Traceback (most recent call last)';
const EXCEPTION = /^[\w.]*(?:Error|Exception|Interrupt|Exit|Warning)\b.*$/gm;
const STACK = /^[ \t]+at .*$/gm;
/** That something failed, and the frame that it is told in; `grep` says no more when it finds nothing. */
const SAYS_NOTHING =
  /\b(?:_?meta|content|textcontent|type|text|annotations|none|null|is_?error|true|false|exit(?:ed)?|return(?:ed)?|code|status|command|process|with|failed|failure|errors?|stdout|stderr|output|no)\b|[^\p{L}\d]|\d+/giu;
const PLACE = /\b((?:column|col|char|character|position|pos|offset|index)\b[\s:=#]{0,3})\d+/gi;
const NO_COMMAND = /(?<!\S)\S+(: command not found)/gi;
/** An error is looked for in so much of a result. */
const FAILURE_UNITS = 16_384;

/** Only the beginning of a result is asked whether it tells of an error: later on it may quote one. */
const ERROR_UNITS = 1000;
/** A time-out or a rate limit says so in few words; a long text that mentions one is something else. */
const TRANSIENT_UNITS = 600;

/**
 * @param result whatever the tool gave
 * @param isError what the producer says of it, if it says anything
 * @param call what it is the result of
 */
export function resultForm(
  result: unknown,
  isError: boolean | null | undefined,
  call: Said = NO_CALL,
): ResultForm {
  const text = typeof result === 'string' ? result : canonicalJson(result ?? null);
  const normal = text.length <= NORMALISED_UNITS ? normalise(text) : text;
  const kind = kindOf(text, isError);
  const words = kind === 'ok' ? '' : failureOf(text);
  const failure = words.replace(SAYS_NOTHING, '') === '' ? null : words;
  const answer = failure ?? normal;
  // An answer is compared with that to another question only where the question is a phrase.
  const isComparable = answer.length <= GIST_UNITS && (failure !== null || PHRASE.test(call.said));
  const bare = BARE.test(normal) || (normal.length <= BARE_UNITS && ACKNOWLEDGEMENT.test(normal));
  return {
    form: fingerprint(normal),
    kind,
    failure: failure === null ? null : fingerprint(failure),
    gist: fingerprint(isComparable ? withoutEcho(answer, call) : answer),
    shown: text.slice(0, SHOWN_UNITS),
    bare,
    trivial: bare || normal.length <= TRIVIAL_UNITS,
    empty: EMPTY.test(normal.slice(0, BARE_UNITS)),
  };
}

/** A result without what changes by itself. */
export function normalise(text: string): string {
  let normal = text;
  for (const [pattern, replacement] of VOLATILE) normal = normal.replace(pattern, replacement);
  return normal.trim();
}

/** What went wrong, in the error's own words: not the way there through the program, nor the place in the input. */
function failureOf(text: string): string {
  const words = normalise(exceptionIn(text) ?? text.slice(0, FAILURE_UNITS).replace(STACK, ''));
  return words.slice(0, GIST_UNITS).replace(PLACE, '$1<n>').replace(NO_COMMAND, '<name>$1');
}

/** The exception that a traceback of Python ends with. */
function exceptionIn(text: string): string | undefined {
  const begin = text.slice(0, FAILURE_UNITS).lastIndexOf(TRACEBACK);
  if (begin === -1) return undefined;
  const lines = text.slice(begin).slice(0, FAILURE_UNITS).replaceAll('\\n', '\n');
  return [...lines.matchAll(EXCEPTION)].at(-1)?.[0];
}

function kindOf(text: string, isError: boolean | null | undefined): ResultKind {
  const refused = text.length <= REFUSED_UNITS && REFUSED.test(text);
  const says = isError ?? (refused || ERROR.test(text.slice(0, ERROR_UNITS)));
  const short = text.length <= TRANSIENT_UNITS;
  if (short && isError !== false && TRANSIENT.test(text)) return 'transient';
  return says ? 'error' : 'ok';
}
