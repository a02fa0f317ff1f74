import type { AgentKnowledge } from './agents/agent-knowledge.ts';
import { type CallText, stringsIn } from './call-echo.ts';
import { unframed } from './result-frame.ts';

/** What a result is to the question whether anything happened; `not_run`: the call was never carried out. */
export type ResultKind = 'ok' | 'error' | 'transient' | 'not_run';

/** Failures of what a tool depends on. A refused connection is none: nothing listens there, and waiting does not help. */
const TRANSIENT =
  /\b(?:429|502|503|504)\b.{0,40}(?:error|too many|unavailable|gateway|rate)|(?:error|status|code|http)\W{0,3}(?:429|50[0234])\b|rate.?limit|too many requests|timed[ -]?out|\btime-?out\b|TimeoutError|ETIMEDOUT|ECONNRESET|EAI_AGAIN|service unavailable|bad gateway|temporarily unavailable|overloaded|connection (?:reset|aborted)|deadline exceeded/i;
/** The same as the first words of a result that says nothing else. */
const PLAIN_TRANSIENT =
  /^.{0,24}?(?:\b(?:429|50[0234])\b\W{0,3}(?:too many|bad|service|gateway|internal|error|$)|rate.?limit(?:ed\b| (?:reached|exceeded|hit|error))|too many requests|timed[ -]?out|time-?out(?: \w+)? (?:error|exceeded|after)|(?:request|gateway|operation|connection|read) time-?out|TimeoutError|ETIMEDOUT|ECONNRESET|EAI_AGAIN|service unavailable|bad gateway|temporarily unavailable|overloaded|connection (?:reset|aborted)|deadline exceeded)/i;
const PLAIN_UNITS = 200;
/** What a tool that reads gives back is text of others, unless it is all that it says. */
const ALL_TRANSIENT =
  /^(?:[a-z]{1,12} ){0,3}(?:429 too many requests|50[234] (?:bad gateway|service unavailable|gateway time-?out)|rate.?limit(?:ed| reached| exceeded)|too many requests|timed[ -]?out|service unavailable|bad gateway|gateway time-?out|temporarily unavailable|overloaded|connection (?:reset|aborted))\W*$/i;

/** An error that begins a result says so in a form that texts do not begin with: a name and a colon, or a verb. */
const ERROR_HEADING =
  /^(?:(?:[\w.]{0,40}(?:error|exception)|failed|failure|fatal)\b(?: \w{1,20})?(?: ?\(\w{1,40}\)| -?\d{1,6})?:|(?:failed to|could not|couldn't|unable to|cannot|can't|no such)\b|http(?:\/[\d.]{1,3})? [45]\d\d\b|[45]\d\d (?:too many|bad|service|gateway|internal|not found|forbidden|unauthorized)\b)/i;
const ERROR_START =
  /^(?:error(?!\\*["']\s*:)|exception|traceback|fail(?:ed|ure)?|fatal|invalid|cannot|can't|could not|couldn't|unable|no such|not found|permission denied|access denied|denied|unauthori[sz]ed|forbidden|command not found|unknown|unexpected|syntax ?error|usage:|nothing happen(?:s|ed)\b)/i;
const ERROR_WITHIN =
  /(?:error|exception|traceback \(most recent call last\)|ENOENT|EACCES|EPERM)\b\s*[:(]|\bnpm (?:err!|error)|: command not found|ECONNREFUSED|connection refused|\b[1-9]\d* failed\b|\bexit(?:ed)?(?: with)?(?: code| status)?[:= ]+[1-9]|\bvalidation errors? (?:for|in)\b|\bno replacement was performed\b|\bno match found for replacement\b/i;
/** A field that says that this is an error. */
const ERROR_FIELD =
  /"?is_?error"?\s*[:=]\s*true|"(?:status|state|result|type)\\*"\s*:\s*\\*"(?:error|failed|failure)\b|["']error\\*["']\s*:\s*\\*(?:["'][^"'\\]|\{\s*[^}\s])/i;
/** A person or a rule did not let the call through; said in few words. */
const REFUSED =
  /\b(?:user|permission|request|command|operation|tool(?: use| call)?|access)\b.{0,40}\b(?:denied|rejected|refused|declined|not (?:allowed|permitted|authorized))\b/i;
const REFUSED_UNITS = 300;

/** Of a result, so much is its head: further on it may quote an error. */
const HEAD_UNITS = 1000;
/** A longer result, of a tool that reads, is what it was asked for. */
const READ_ERROR_UNITS = 600;
/** A time-out or a rate limit says so in few words; a long text that mentions one is something else. */
const TRANSIENT_UNITS = 600;
const TRANSIENT_HEAD_UNITS = 300;

/**
 * @param isError what the producer says of it, which decides; without it, the head of the result does
 * @param call what it is the result of: what it repeats of the call is no error
 */
export function resultKind(
  text: string,
  isError: boolean | null | undefined,
  call: CallText,
  agents: AgentKnowledge,
): ResultKind {
  if (isError === false) return 'ok';
  if (agents.saysNotRun(text)) return 'not_run';
  if (isTransient(text, isError === true, call)) return 'transient';
  return isError === true || tellsOfError(text, call) ? 'error' : 'ok';
}

function isTransient(text: string, isError: boolean, call: CallText): boolean {
  if (text.length > TRANSIENT_UNITS) return false;
  const head = text.slice(0, TRANSIENT_HEAD_UNITS);
  const found = TRANSIENT.exec(head)?.[0].toLowerCase();
  if (found === undefined || stringsIn(call.said).some((said) => said.toLowerCase().includes(found)))
    return false;
  if (isError || ERROR_FIELD.test(head)) return true;
  const words = unframed(head);
  if (ERROR_HEADING.test(words) || (!call.reads && ERROR_START.test(words))) return true;
  return call.reads ? ALL_TRANSIENT.test(words) : text.length <= PLAIN_UNITS && PLAIN_TRANSIENT.test(words);
}

function tellsOfError(text: string, { reads }: CallText): boolean {
  const head = text.slice(0, HEAD_UNITS);
  const words = unframed(head);
  if (reads && text.length > READ_ERROR_UNITS) return false;
  if (ERROR_HEADING.test(words) || ERROR_FIELD.test(head)) return true;
  if (text.length <= REFUSED_UNITS && (REFUSED.test(text) || ERROR_START.test(words))) return true;
  return !reads && (ERROR_START.test(words) || ERROR_WITHIN.test(head));
}
