import type { AgentKnowledge } from '../agents/agent-knowledge.ts';
import { canonicalJson } from '../lib/canonical-json.ts';
import { type CallText, withoutEcho } from './call-echo.ts';
import { errorHead } from './error-head.ts';
import { type ResultKind, resultKind } from './result-kind.ts';
import { normalise } from './result-noise.ts';
import { fingerprint } from './tool-identity.ts';
import { isUnderWay } from './under-way.ts';

/** A tool's result in the form in which results are compared. */
export interface ResultForm {
  /** Equal for results that differ only in what changes by itself; long ones as a digest. */
  readonly form: string;
  readonly kind: ResultKind;
  /** What failed, without where in the program: the same for one error from two stacks. `null` if it does not say. */
  readonly failure: string | null;
  /** The first lines of what failed, up to where they quote the call, without its numbers; `null` where nothing failed. */
  readonly head: string | null;
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
  /** Whether it says that what was asked for is still under way. */
  readonly isUnderWay: boolean;
  /** Whether it says in few words that what was asked for is not there, which can be true of many things. */
  readonly negative: boolean;
}

const PHRASE = /\S \S+ \S/;

const SHOWN_UNITS = 400;
/** Longer results are compared as they are: normalising has to cost a bounded time. */
const NORMALISED_UNITS = 65_536;
const TRIVIAL_UNITS = 24;
/** Longer results are taken for what they are: looking for the call's words in them has to cost a bounded time. */
const GIST_UNITS = 2000;

const BARE_UNITS = 200;
const BARE = /^(?:|null|none|true|undefined|\{\}|\[\]|""|\W*(?:\w+ completed with )?no output\W*)$/i;
/** There is nothing of what was asked for. */
const EMPTY =
  /^(?:\[\]|\W*(?:sorry, )?(?:no|0|zero) (?:\w+ ){0,2}(?:results?|matches|match|hits|records?|rows|documents?|items|entries|pages?)\b.{0,80}|(?:nothing|none)(?: was| were)? found\b.{0,80})$/i;
const NEGATIVE =
  /^\W*(?:sorry,? )?(?:no|none|nothing|not|0|zero|keine?|empty)\b|\b(?:not|n't) (?:find|found|match|exist|contain|available|know)|\b(?:nothing|none) (?:found|matched|matches)\b|\b(?:has|is|are|were|was|with) no\b|"(?:results?|items|events|data|rows|matches|hits|records|entries|documents)":\[\]|"(?:total|count|total_?count)":0\b/i;
const DONE =
  'done|ok|saved|stored|written|updated|created|modified|edited|applied|replaced|added|appended|removed|deleted|moved|renamed|copied|uploaded|attached|sent|submitted|posted|published|recorded|logged|noted|completed|finished|accepted|typed|clicked|scrolled';
const ACKNOWLEDGEMENT = new RegExp(
  `\\b(?:success|successful|successfully|succeeded)\\b|\\b(?:has|have|was|were|been)(?: now)? (?:${DONE})\\b|^\\W*(?:${DONE})\\b(?!:)|"(?:status|result)": ?"(?:${DONE})"`,
  'i',
);

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

/**
 * @param result whatever the tool gave
 * @param isError what the producer says of it, if it says anything
 * @param call what it is the result of
 */
export function resultForm(
  result: unknown,
  isError: boolean | null | undefined,
  call: CallText,
  agents: AgentKnowledge,
): ResultForm {
  const text = typeof result === 'string' ? result : canonicalJson(result ?? null);
  const plain = agents.withoutNoise(text);
  const normal = plain.length <= NORMALISED_UNITS ? normalise(plain) : plain;
  const kind = resultKind(plain, isError, call, agents);
  const words = kind === 'ok' ? '' : failureOf(plain);
  const failure = words.replace(SAYS_NOTHING, '') === '' ? null : words;
  const head = failure === null ? '' : errorHead(plain, call);
  const answer = failure ?? normal;
  // An answer is compared with that to another question only where the question is a phrase.
  const isComparable = answer.length <= GIST_UNITS && (failure !== null || PHRASE.test(call.said));
  const bare = BARE.test(normal) || (normal.length <= BARE_UNITS && ACKNOWLEDGEMENT.test(normal));
  return {
    form: fingerprint(normal),
    kind,
    failure: failure === null ? null : fingerprint(failure),
    head: head.replace(SAYS_NOTHING, '') === '' ? null : fingerprint(head),
    gist: fingerprint(isComparable ? withoutEcho(answer, call) : answer),
    shown: text.slice(0, SHOWN_UNITS),
    bare,
    trivial: bare || normal.length <= TRIVIAL_UNITS,
    empty: EMPTY.test(normal.slice(0, BARE_UNITS)),
    isUnderWay: kind === 'ok' && isUnderWay(text),
    negative: normal.length <= BARE_UNITS && NEGATIVE.test(normal),
  };
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
