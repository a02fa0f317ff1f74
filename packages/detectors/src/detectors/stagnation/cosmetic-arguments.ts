import { isPollingStep } from '../../calls/polling.ts';
import { type CallStep, isVaried, type PastCall } from '../../calls/step.ts';
import { counted, quotedArguments, quotedResult, sentence } from '../../incident/shown-calls.ts';
import { type Fields, fieldsIn } from '../../lib/fields.ts';
import { separateWords, wordIn } from '../../lib/separate-words.ts';
import type { StagnationRule } from './options.ts';

/** Pixels between two clicks at one place. */
const JITTER = 16;
/** A shorter confirmation is a mere receipt. */
const SHORT_UNITS = 60;
/** Fields for a place on the screen. */
const POINT =
  /^(?:x|y|[xy]\d|pos(?:ition)?|point|coord(?:inate)?s?|(?:start|end)_?(?:box|point|[xy])|loc(?:ation)?|center|offset_?[xy]|(?:mouse|client|page|screen)_?[xy])$/i;
/** Fields that number the request itself, with any tool. */
const OF_REQUEST =
  /^(?:_|nonce|salt|now|tick|heartbeat|cache_?bust(?:er)?|(?:counter|count|iteration|attempts?|try|tries|retry|retries|seq|sequence|idempotency)(?:_?(?:id|key|no|num|number|count))?)$/i;
/** Fields that name the request, or else what it is about: a recorded call, a request to approve, a message by its time. */
const OF_REQUEST_OR_TARGET =
  /^(request|call|trace|span|correlation|invocation)_?(?:id|key|no|num|number)$|^_?(?:timestamp|ts)$/i;
/** Tools that do something to what such a field names, beside those whose name says that they change something. */
const ACTS = wordIn('add|mark|label|tag|flag|pin|react\\w*|modify|classify');
/** Two times further apart are asked for; the time of a request is that of the call, in s or ms. */
const MAX_APART = 3600;
/** Fields that say how to wait, or put the call into words: with tools that change nothing but an interface. */
const OF_CALL =
  /^(?:element|label|description|intent|reason|reasoning|rationale|thought|thinking|explanation|comment|note|purpose|goal|summary|(?:delay|wait|timeout|duration|pause|interval|speed)(?:_?(?:ms|s|sec|secs|seconds|millis|milliseconds))?)$/i;

/** Fields for an element by a number that the interface changes whenever it is shown. */
const HANDLE =
  /^(?:ref|index|uid|bid|mark|(?:backend_?|highlight_?)?(?:node|element|target|box)_?(?:id|ref|index|no|num|number))$/i;

/** Fields for the words that an element shows. */
const ELEMENT = /^(?:element|label|text|name)$/i;

/** Calls that differ only in looks, such as a few pixels or the number of the attempt, have the same effect. */
export const cosmeticArguments: StagnationRule = (
  { rounds, settled },
  { options, knowledge: { agents } },
) => {
  const before = rounds.at(-2);
  if (before === undefined || before.key === settled.key || !hasSameEffect(before, settled)) return null;
  const call = settled.calls[0] as PastCall;
  const fields = fieldsOf(call);
  if (fields === null || isPollingStep(settled)) return null;
  let count = 1;
  for (; count < rounds.length; count += 1) {
    const step = rounds[rounds.length - 1 - count] as CallStep;
    if (step.explained || !hasSameEffect(step, settled)) break;
    if (step.key !== settled.key && !differsInLooks(step.calls[0] as PastCall, call, fields)) break;
  }
  const steps = rounds.slice(-count);
  const isShort = isReceipt(call);
  const isUnknown = settled.kind === 'unknown';
  const isDoubtful = isUnknown || isShort || (!saysWhat(fields) && isRenumbered(steps, fields));
  const threshold = options.sameAnswer * (isDoubtful ? 2 : 1);
  if (count < threshold || !isVaried(steps) || drifts(steps)) return null;
  return {
    rule: 'same-answer',
    steps,
    count,
    threshold,
    thresholdOf: {
      setting: 'stagnation.same_answer',
      value: options.sameAnswer,
      adjustments: isShort ? ['short-answer'] : [],
    },
    ...sentence`${call.identity.name}${quotedArguments(call.identity.arguments)} was called ${counted(count)} times in a row with arguments that differ only in looks${isUnknown ? '' : ', and the same result'}${quotedResult(call, agents)}`,
  };
};

/**
 * Whether both steps are one successful call of the same tool, with the same result apart from echoed arguments; or one
 * step of navigation whose results are unknown, while the agent tells of nothing new.
 */
function hasSameEffect(a: CallStep, b: CallStep): boolean {
  const [one] = a.calls;
  const [two] = b.calls;
  if (a.calls.length !== 1 || b.calls.length !== 1 || a.kind !== b.kind) return false;
  if (one?.identity.name !== two?.identity.name) return false;
  if (a.kind === 'unknown')
    return one?.result === null && two?.result === null && two.nature.navigates && a.remark === b.remark;
  if (a.kind !== 'ok' || !one?.result || !two?.result) return false;
  return one.result.form === two.result.form || one.result.gist === two.result.gist;
}

/** Whether the result tells nothing of the state. */
function isReceipt({ result }: PastCall): boolean {
  return result?.trivial === true && result.shown.length < SHORT_UNITS;
}

function fieldsOf({ identity }: PastCall): Fields | null {
  return identity.digest === undefined ? fieldsIn(identity.arguments) : null;
}

function differsInLooks(call: PastCall, now: PastCall, latest: Fields): boolean {
  const fields = fieldsOf(call);
  const names = Object.keys(latest);
  if (fields === null || Object.keys(fields).length !== names.length) return false;
  const { nature } = now;
  const isInterface = nature.gui || nature.navigates;
  return names.every((name) => {
    const [one, two] = [fields[name], latest[name]];
    if (!Object.hasOwn(fields, name)) return false;
    if (JSON.stringify(one) === JSON.stringify(two) || isOfRequest(name, one, two, now, names.length))
      return true;
    if (!nature.edits && areSameWithoutTokens(one, two)) return true;
    if (!isInterface) return false;
    if (HANDLE.test(name)) return !isReceipt(now) && namesSameElement(fields, latest);
    return (OF_CALL.test(name) && names.length > 1) || (POINT.test(name) && areNear(one, two));
  });
}

function isOfRequest(name: string, one: unknown, two: unknown, call: PastCall, fields: number): boolean {
  const words = separateWords(call.identity.name).toLowerCase();
  // In `sequence`, also what a laboratory examines.
  if (OF_REQUEST.test(name)) return fields > 1 || !words.includes(name.toLowerCase().replace(/_.*/, ''));
  const { nature, result } = call;
  // It may be what is asked for, which would get another answer, or a mere receipt.
  if (/^(?:step|turn|round)/i.test(name))
    return fields > 1 && !nature.edits && result?.bare === false && !result.negative;
  const [found, noun = ''] = OF_REQUEST_OR_TARGET.exec(name) ?? [];
  if (found === undefined || fields < 2 || nature.edits || ACTS.test(words)) return false;
  if (noun !== '') return !words.includes(noun.toLowerCase());
  const apart = Math.abs(Number(one) - Number(two));
  return !(apart > MAX_APART * (Number(one) > 1e11 ? 1000 : 1));
}

function saysWhat(fields: Fields): boolean {
  return Object.keys(fields).some((name) => ELEMENT.test(name));
}

function namesSameElement(one: Fields, two: Fields): boolean {
  return Object.keys(two).every((name) => !ELEMENT.test(name) || one[name] === two[name]);
}

/** Whether the steps name their element by different numbers. */
function isRenumbered(steps: readonly CallStep[], latest: Fields): boolean {
  const handles = Object.keys(latest).filter((name) => HANDLE.test(name));
  return steps.some(({ calls: [call] }) => {
    const fields = call === undefined ? null : fieldsOf(call);
    return handles.some((name) => fields?.[name] !== latest[name]);
  });
}

/** Parameters of a link that keep an answer from being cached, comments in a command line or a query, and printed labels. */
const COSMETIC_PARTS =
  /(?<=[?&])(?:_|cb|rnd|rand|random|nonce|cache_?bust(?:er)?|no_?cache)=[^&#\s"']*|(?<=^|\s)#[^\n"']*|\/\*[^]*?\*\/|^ *-- .*|\becho [^;&|>]*(?:;|&&)|\bprint\("[^()]*\)/gim;
/** A longer value is no command line and no link. */
const VALUE_UNITS = 512;

/** Whether two texts differ only in a comment, or in a token that keeps an answer from being cached. */
function areSameWithoutTokens(a: unknown, b: unknown): boolean {
  if (typeof a !== 'string' || typeof b !== 'string' || Math.max(a.length, b.length) > VALUE_UNITS)
    return false;
  return plainValue(a) === plainValue(b);
}

function plainValue(value: string): string {
  return value.replace(COSMETIC_PARTS, '').trim();
}

/** Whether two places, as a number, a list, an object or a text, are a few pixels apart. */
function areNear(a: unknown, b: unknown): boolean {
  const [one, two] = [numbersIn(a), numbersIn(b)];
  return (
    one.length > 0 &&
    one.length === two.length &&
    one.every((value, i) => Math.abs(value - (two[i] ?? 0)) <= JITTER)
  );
}

function numbersIn(value: unknown): number[] {
  return (JSON.stringify(value).match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number);
}

/** Whether the place moves in one direction, as when something is dragged, or covers an area cell by cell. */
function drifts(steps: readonly CallStep[]): boolean {
  const rows = steps.map(({ calls }) => {
    const fields = calls[0] === undefined ? null : fieldsOf(calls[0]);
    return Object.entries(fields ?? {}).flatMap(([name, value]) =>
      POINT.test(name) ? numbersIn(value) : [],
    );
  });
  return (rows[0] ?? []).some((_, i) => {
    const steady = (direction: 1 | -1) =>
      rows.every((row, n) => n === 0 || ((row[i] ?? 0) - (rows[n - 1]?.[i] ?? 0)) * direction >= 0);
    return rows[0]?.[i] !== rows.at(-1)?.[i] && (steady(1) || steady(-1));
  });
}
