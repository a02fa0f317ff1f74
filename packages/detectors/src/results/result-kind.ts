import { type AgentKnowledge, unframed } from '../agents/agent-knowledge.ts';
import { withoutStamp } from './leading-stamp.ts';
import { stringsIn } from './said-values.ts';
import type { CallText } from './strip-echoed-args.ts';

/** How a call turned out; `not_run`: the call was never executed. */
export type ResultKind = 'ok' | 'error' | 'transient' | 'not_run';

/** Failures of a tool's dependencies, as they are put into words. */
const PHRASES =
  'too ?many ?requests|rate.?limit(?:ed| reached| exceeded| hit| error)|(?:gateway |e)?timed?[ _-]?out(?!=)|econnreset|eai_again|(?:service|temporarily) ?unavailable|internal server error|bad gateway|overloaded|connection (?:was )?(?:reset|aborted)|deadline ?exceeded';
/** The same wherever they are named. A refused connection is none: nothing listens there, and waiting does not help. */
const TRANSIENT = new RegExp(
  `${PHRASES}|\\b(?:429|50[0234])\\b.{0,40}(?:error|too many|unavailable|gateway|rate|quota)|(?:error|status(?:_?code)?|code|http)\\W{0,4}(?:429|50[0234])\\b|rate.?limit|rate exceeded|throttl(?:ed|ing)|quota exceeded|exceeded your (?:current )?quota|resource.?exhausted|socket hang up|name resolution|ERR_\\w{0,20}TIMED|code = unavailable|upstream connect error`,
  'i',
);
/** A page that lacks the awaited element: the agent waits for the wrong thing. */
const WAITS_IN_VAIN = /\blocator\b|waiting for (?:selector|element|locator)/i;

/** A transient failure at the start of a result that says nothing else. */
const PLAIN_TRANSIENT = new RegExp(
  `^(?:[\\w.-]{1,30}: (?:\\(\\d+\\) )?)?(?:(?:the|a|your|http|status|error|code|request|operation|tool|call|execution|connection|connect|read|server|service|api|upstream|is|was|has) ){0,5}(?:429|50[0234])?\\W{0,3}(?:${PHRASES})(?=\\W*$|[.!,;<]|\\s*\\(| (?:after|while|waiting|during|error|for requests?|on|by|please|retry|try|\\d))`,
  'i',
);
/** Transient failures recognizable by their first words alone. */
const WELL_KNOWN =
  /^(?:getaddrinfo|npm err!|upstream connect error|net::ERR_|you exceeded your|socket hang up|temporary failure in name)/i;
const PLAIN_UNITS = 200;
/** The same as a record of an HTTP response. */
const TRANSIENT_RECORD = /^\{[^{}]*"status(?:_?code)?": ?(?:429|50[0234])\b[^{}]*\}$/i;
/** The same, but only as the whole result: a reading tool returns text written by others. */
const ALL_TRANSIENT = new RegExp(
  `^(?:[a-z]{1,12} ){0,3}(?:http(?:/[\\d.]{1,3})? )?(?:(?:429|50[0234]) )?(?:${PHRASES})\\W*$`,
  'i',
);

/** Error names before a colon or a bracket; ordinary text does not start like that. */
const ERROR_NAME =
  /^(?:[\w.]{0,60}(?:error|exception|timeout|exhausted)|failed|failure|fatal|panic|[\w-]{1,20} error)\b(?: \w{1,20})?(?: ?\(\w{1,40}\)| -?\d{1,6})?[:(]|^[\w-]{1,20}: (?:\(\d{1,3}\)|error\b|fatal\b)|^(?:[\w-]{1,20} ){1,4}failed: (?!none|no\W*(?:\n|$)|0\b)/i;
/** Errors in other languages. */
const FOREIGN_ERROR =
  /^\s*(?:fehler|erreur|errore|erro|fout|błąd|chyba|hata|ошибка|помилка|エラー|错误|錯誤|오류|خطأ|त्रुटि)\s?[:：]/iu;
/** How an edit is rejected. */
const REJECTED_EDIT =
  /\b(?:rejected|refused|not applied|not saved|(?:was|were|is|are) not found|(?:did|does) not match|no match)\b/i;
/** Further words that errors start with. */
const ERROR_HEADING =
  /^(?:(?:failed to|could not|couldn't|unable to|cannot|can't|no such|an error (?:has )?occurred|e: (?:unable|package|version|could|failed|sub-process))\b|(?:the )?(?:api |http )?(?:request|query) failed\b|\w*(?:fail|error|denied|notfound|invalid|forbidden|conflict|unauthori[sz]ed|expired|notallowed|exceeded)\w*\) \w|(?:ora|tns|pls|sp2|dp[iy]|rman)-\d{4,5}:|sqlstate\[|msg \d+, level|(?:bad request|method not allowed|payment required)[:.]|(?:authentication|authorization|login|validation) (?:failed|required)\b|(?:\w+ ){0,2}arguments? (?:is|are) (?:not|in)|insufficient (?:permissions?|privileges?|rights|scopes?|funds)\b|sql\d{4,5}n\b|e11000\b|you (?:are not|aren['’]t|must be) (?:currently )?(?:authori[sz]ed|allowed|permitted|logged|signed|authenticated)\b|you (?:do not|don['’]t|have no|lack)\b.{0,30}\b(?:permission|access|rights?|privileges?)\b|(?:\w{2,8}\W{1,3})?something went wrong\b|(?:the )?(?:element|selector|index|ref)\b.{0,60}(?:n[o']t (?:\w+able|exist|found|visible|attached|enabled)|no longer|stale|out of)\b|http(?:\/[\d.]{1,3})? [45]\d\d\b|[45]\d\d (?:too many|bad|service|gateway|internal|not found|forbidden|unauthorized)\b)/i;
const ERROR_START =
  /^(?:error(?!s?\\*["']\s*:)|exception|traceback|fail(?:ed|ure)?|fatal|invalid|unable|not found|permission denied|access denied|denied|unauthori[sz]ed|forbidden|command not found|unknown|unexpected|syntax ?error|usage:|nothing happen(?:s|ed)\b)/i;
const ERROR_WITHIN =
  /(?:error|exception|traceback \(most recent call last\)|ENOENT|EACCES|EPERM)\b\s*[:(]|\bnpm (?:err!|error)|: command not found|ECONNREFUSED|connection refused|<returncode>[1-9]|\*\*\* .{0,80}\bError \d|✖ \d+ problems? \([1-9]|\b(?:exit(?:ed)?(?: with)?(?: code| status)?[:= ]+[1-9]|found [1-9]\d* errors?|(?:[1-9]\d* failed|validation errors? (?:for|in)|no (?:replacement was performed|match found for replacement)|not found in (?:content|file)|panicked at|failed because|(?:missing|without)\b.{0,30}\brequired (?:argument|param(?:eter)?|property|field)s?)\b)/i;
/** A field or tag that marks an error; a program that exits with 1 may as well have found nothing. */
const ERROR_FIELD =
  /<tool_use_error>|"?is_?error"?\s*[:=]\s*true|"(?:status|state|result|type)\\*"\s*:\s*\\*"(?:error|failed|failure|fehler|erreur)\b|["']error\\*["']\s*:\s*\\*(?:["'][^"'\\]|\{\s*[^}\s])|<(?:\w+:)?(?:fault|error)>\s*<|["'](?:status_?code["']\s*:\s*[45]\d\d|code["']\s*:\s*40[13])\b|"(?:exit|return)_?code\\*"\s*:\s*(?:-|[2-9]|1\d|1\b(?=[^]*"stderr\\*"\s*:\s*\\*"[^"\\]))|"(?:output|stderr)\\*"\s*:\s*\\*"(?:error|fail|fatal)/i;
/** What failed, in the first line of a result that is none of a look, and the end of a program that a signal stopped. */
const FAILS =
  /^\W*(?:blocked|rejected|refused|declined|aborted|crashed):(?! ?(?:none|no|\d+)\b)|^(?:(?!\b(?:if|when|whether|why|that|no|none|zero|0) )[^\n]){0,80}(?:[a-z] failed|[a-z\d] (?:died|crashed))(?:[:,] (?!none|no\W*(?:\n|$)|0\b)|[.!]?\s*(?:\n|$))|^\W*(?:time=\S{1,40} )?level="?(?:error|fatal)\b|^[^\n]{0,80}\b(?:did not|didn['’]t) succeed\b|\bline \d+: +\d+ (?:killed|aborted|bus error|illegal instruction|floating point exception)|\bsegmentation fault\b|\(core dumped\)|\nkilled\s*$/i;
/** What a success says about errors. */
const NO_ERROR =
  /\b(?:error|fail(?:ed|ure)?)s?\W{1,6}(?:none|null|no errors?|n\/?a|ok|false|0)(?=["'\\)\s]*(?:[,;}]|$))/gim;
/** A short record that says that the call failed, and why; the code, if it has one. */
const FAILED_RECORD =
  /^\s*\{(?=[^]*(?:message|msg|reason|detail|title|errors)\\*["'])(?:[^{}[\]]|\{\}|\[\])*?\b(?:(?:ok|success)\\*["']\s*:\s*\\*["']?false\b|(?:code|status)\\*["']\s*:\s*\\*["']?([45]\d\d)\b|errors\\*["']\s*:\s*\[\s*\{)/i;
/** The same in lines, as XML or as a table of one row; the state, if it is that of a failure. */
const PLAIN_RECORD =
  /^(?=[^]*(?:message|msg|reason|detail|cause|error|text|title)\W)[^{]*?(?:^|[\n<])(?:\w{1,20} )?(?:(?:ok|success(?:ful)?|succeeded)\W{1,3}(?:false\b|no[<\s]*(?:\n|$))|(?:\w+_)?(?:state|status|result|outcome)\W{1,3}(?:is )?(error|fail(?:ed|ure)?)\b(?!\W*\d)|(?:status|code)\W{1,3}((?!404)[45]\d\d)\b)|^(?:[-|+: ]+\n)?[^\n]*\b(?:state|status|result|outcome)\b[^\n]*\n(?:[-|+: ]+\n)?[^\n]*(?<=\| ?| {2}|[,\t])(error|fail(?:ed|ure)?)\b[^\n]*(?:\n[-|+: ]*)?$/i;
/** What it says of the state of one target among others. */
const STATE = /already|taken|found|exist|expired|unknown|available|wrong|incorrect/i;
/** Tools whose answer it may be. */
const CHECKS = /check|verif|valid|test|ping|lint/;
/** The same as an error, or a refusal, in other languages. */
const FOREIGN_REFUSAL =
  /falha |não foi|no se (?:pu|ha po)|nega[dt][oa]|refusé|échec|impossib(?:ile|le d)|konnten? nicht|verweigert|fehlgeschl|не удалось|できません|失敗|无法|失败/i;
/** A person or a rule denied the call, in a few words. */
const REFUSED =
  /\b(?:user|permission|request|command|operation|tool(?: use| call)?|access)\b.{0,40}\b(?:denied|rejected|refused|declined|blocked by|not (?:allowed|permitted|authorized))\b|\baccess is (?:disabled|blocked)\b/i;
const REFUSED_UNITS = 300;

/** Units of a result's head; after it the result may quote an error. */
const HEAD_UNITS = 1000;
/** A longer result of a reading tool is the requested content, not an error. */
const READ_ERROR_UNITS = 600;
/** Timeouts and rate limits are reported briefly; a longer text that mentions one is something else. */
const TRANSIENT_UNITS = 600;
const TRANSIENT_HEAD_UNITS = 300;

/**
 * @param isError the producer's error flag, which decides; without it, the head of the result does
 * @param call the call that the result belongs to: text echoed from it is not an error
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
  // A program may print anything before and after the failure.
  if (text.length > TRANSIENT_UNITS && (!isError || call.runs === true)) return false;
  const head = text.slice(0, TRANSIENT_HEAD_UNITS);
  const excerpt = text.length > TRANSIENT_UNITS ? `${head}\n${text.slice(-TRANSIENT_HEAD_UNITS)}` : head;
  const found = TRANSIENT.exec(excerpt)?.[0].toLowerCase();
  if (found === undefined || WAITS_IN_VAIN.test(excerpt)) return false;
  if (stringsIn(call.said).some((said) => said.toLowerCase().includes(found))) return false;
  if (isError || TRANSIENT_RECORD.test(head)) return true;
  const words = firstWords(head);
  if (call.looks === true) return ALL_TRANSIENT.test(words);
  if (ERROR_NAME.test(words)) return true;
  if (call.reads === true) return ALL_TRANSIENT.test(words);
  if (ERROR_HEADING.test(words) || ERROR_START.test(words) || ERROR_FIELD.test(head)) return true;
  if (isFailedRecord(head, call)) return true;
  return text.length <= PLAIN_UNITS && (PLAIN_TRANSIENT.test(words) || WELL_KNOWN.test(words));
}

/** A result from the first word of its message onward, which a wrapper may have stamped inside its frame. */
function firstWords(head: string): string {
  const words = unframed(head);
  const lines = words.replaceAll('\\r', '').replaceAll('\\n', '\n');
  const unstamped = withoutStamp(lines);
  return unstamped === lines ? words : unframed(unstamped);
}

function tellsOfError(text: string, call: CallText): boolean {
  const head = text.slice(0, HEAD_UNITS);
  return seemsError(head, call) && seemsError(head.replace(NO_ERROR, ''), call);
}

function seemsError(head: string, call: CallText): boolean {
  const { reads, runs, looks, edits } = call;
  const { length } = head;
  if (FOREIGN_ERROR.test(head)) return true;
  if (edits === true && length <= REFUSED_UNITS && REJECTED_EDIT.test(head)) return true;
  if (reads === true && length > READ_ERROR_UNITS) return false;
  const words = firstWords(head);
  if (ERROR_NAME.test(words) || ERROR_HEADING.test(words) || ERROR_FIELD.test(head)) return true;
  if (isFailedRecord(head, call)) return true;
  if (length <= REFUSED_UNITS) {
    if (REFUSED.test(head) || ERROR_START.test(words)) return true;
    if (reads !== true && runs !== true && FOREIGN_REFUSAL.test(head)) return true;
  }
  if (reads === true) return false;
  if (ERROR_START.test(words) || ERROR_WITHIN.test(head)) return true;
  const failing = looks === true || length > READ_ERROR_UNITS ? undefined : FAILS.exec(head)?.[0];
  return failing !== undefined && !stringsIn(call.said).some((said) => said.includes(failing.trim()));
}

/** Whether a result is a short record that says that the call failed. */
function isFailedRecord(head: string, { name, reads, looks }: CallText): boolean {
  const asks = reads === true || looks === true || head.length > READ_ERROR_UNITS || CHECKS.test(name);
  const found = asks
    ? null
    : (FAILED_RECORD.exec(head) ?? (head.length <= REFUSED_UNITS ? PLAIN_RECORD.exec(head) : null));
  return found !== null && (found.slice(1).some(Boolean) || !STATE.test(head));
}

const ANSWER_UNITS = 200;
/** Wordings of an empty result. */
const EMPTY =
  /^(?:\[\]|\W*(?:sorry, )?(?:no|0|zero) (?:\w+ ){0,2}(?:results?|matches|match|hits|records?|rows|documents?|items|entries|pages?)\b.{0,80}|(?:nothing|none)(?: was| were)? found\b.{0,80})$/i;
/** Words, and fields, that deny something; in a short answer they are what it says. */
const NEGATIVE =
  /\b(?:no|not|none|nothing|nowhere|never|neither|without|zero|(?<!\.)0(?!\.\d)|unknown|unregistered|unused|available|free|clean|absent|missing|empty|lacks?|keine?|nicht|aucune?|ning[uú]n[ao]?|nenhuma?|nessun[ao]?|geen)\b|n't\b|нет\b|не найден|ません|没有|未找到|없|(?<!error|more|truncated|cached)\\?":\s?false\b/i;
/** A list without elements, or a count of zero, as JSON. */
const EMPTY_FIELD = /:\s?\[\]|"(?:total|\w*count|num\w*|matches|hits|size|length)":\s?0\b/i;
/** What MCP wraps a text in. */
const WRAPPER = /^\W*"content":\s?\[\{(?:"type":\s?"text",\s?)?"text":\s?"/;
const FULL_LIST = /\[[^\]]/;
const RECORD_UNITS = 400;

/** Whether a result says that nothing was found. */
export function isEmptyAnswer(normal: string): boolean {
  return EMPTY.test(normal.slice(0, ANSWER_UNITS));
}

/** Whether a result briefly denies something, or is a record that lists nothing. */
export function isNegativeAnswer(normal: string): boolean {
  if (normal.length <= ANSWER_UNITS && NEGATIVE.test(normal)) return true;
  if (normal.length > RECORD_UNITS) return false;
  const plain = normal.replaceAll('\\', '').replace(WRAPPER, '');
  return EMPTY_FIELD.test(plain) && !FULL_LIST.test(plain);
}

const OPENING = 'Loopwatch denied this call';
/** An agent may put its own words before a hook's message. */
const OPENING_UNITS = 200;

/** The result of a denied call, as the agent and the log receive it. */
export function denialText(text: string): string {
  return `${OPENING}: ${text}`;
}

/** Whether a result only says that Loopwatch denied the call. */
export function isDenial(result: unknown): boolean {
  return typeof result === 'string' && result.slice(0, OPENING_UNITS).includes(OPENING);
}

/** Whether an event of a result says that the call was denied, rather than that it ran. */
export function wasDenied({ denied, result }: Readonly<Record<string, unknown>>): boolean {
  return denied === true || isDenial(result);
}
