import type { Mark } from '../../calls/mark.ts';
import { MORE_IF_ALIKE } from '../../incident/alike-results.ts';
import {
  DEGREES,
  FEW_PAIRS,
  MIN_PAIRS,
  type ReadMessage,
  read,
  type SaidMessage,
  samenessOf,
} from './said-message.ts';

/** Different messages that may take turns. Only if there are several may they be reworded; so many are set phrases. */
const WIDTHS = [1, 2, 3, 4, 16] as const;
const SET_PHRASES = 4;
const REMEMBERED = WIDTHS[SET_PHRASES];
/** Messages in set phrases, as a multiple of the setting; of one agent more, because a producer may leave out its calls. */
const PATIENCE = 2;
const LONE_PATIENCE = 4;
/** Of so many messages in a row, one may bring new words; of those in set phrases, of twice as many. */
const MESSAGES_PER_FRESH = 2;
/** Names of agents that stand for a person. */
const PERSON = /user|human|person|customer|client|operator|caller|patient|student/i;

/** Consecutive messages that repeat one of the latest few different ones. */
interface Run {
  readonly messages: number;
  /** The least degree of sameness among them, and how many bring new words. */
  readonly degree: number;
  readonly fresh: number;
  /** Where the run started. */
  readonly since: Mark;
}

/** The latest different messages, newest first, and how they return. */
export interface MessageSeries {
  readonly said: readonly (SaidMessage | ReadMessage)[];
  readonly runs: readonly (Run | null)[];
}

export const NO_MESSAGES: MessageSeries = { said: [], runs: [] };

export interface RepeatedMessages {
  /** Messages that take turns; 1 if some are reworded. */
  readonly period: number;
  /** How often each came, on average. */
  readonly count: number;
  readonly threshold: number;
  readonly alike: boolean;
  readonly near: boolean;
  /** How many agents exchange set phrases, if that is what they do. */
  readonly speakers: number;
  readonly since: Mark;
}

export function afterMessage(series: MessageSeries, message: SaidMessage): MessageSeries {
  if (series.said.length === 0) return { said: [message], runs: [] };
  const said = series.said.map(read);
  const now = read(message);
  const degrees = said.map((before) => samenessOf(now, before));
  const isPerson = PERSON.test(now.agent);
  const isLong = !isPerson && now.pairs.length >= MIN_PAIRS;
  const degree = Math.min(...degrees);
  const at = degrees.indexOf(degree);
  const before = said[at];
  const isReworded = degree > DEGREES.echo;
  if (before === undefined || degree === DEGREES.different || (isReworded && !isLong))
    return { said: [now, ...said].slice(0, REMEMBERED), runs: [] };
  const isEcho = degree === DEGREES.echo;
  const runs = WIDTHS.map((width, i): Run | null => {
    const isSet = i === SET_PHRASES;
    const fits = i > 0 && isLong ? at < width : at === width - 1 && (i > 0 || !isReworded);
    if (isSet ? isPerson : isEcho || !fits) return null;
    const run = series.runs[i];
    return {
      messages: (run?.messages ?? (isSet ? 0 : at + 1)) + 1,
      degree: Math.max(run?.degree ?? 0, degree),
      fresh: (run?.fresh ?? 0) + Number(degree === DEGREES.fresh),
      since: run?.since ?? (isSet ? now : before).mark,
    };
  });
  const pairs = [...new Set([...before.pairs, ...now.pairs])];
  const others = isEcho ? said : said.filter((other) => other !== before);
  return { said: [{ ...now, pairs }, ...others].slice(0, REMEMBERED), runs };
}

/**
 * Another question starts all runs again but that of one message, unless that is a label, which may well be the answer to
 * both; the same question only this.
 */
export function afterQuestion({ said, runs }: MessageSeries, isOther: boolean): MessageSeries {
  const keepsOne = isOther && said[0] !== undefined && read(said[0]).pairs.length >= FEW_PAIRS;
  return { said, runs: runs.map((run, i) => ((i === 0 ? keepsOne : !isOther) ? run : null)) };
}

/**
 * @param once how often one message has to come
 * @param value value of the setting
 */
export function repeatedIn(
  { said, runs }: MessageSeries,
  once: number,
  value: number,
): RepeatedMessages | null {
  for (const [i, width] of WIDTHS.entries()) {
    const run = runs[i] ?? null;
    const speakers = i === SET_PHRASES ? new Set(said.map(({ agent }) => agent)).size : 0;
    // What keeps bringing new words may be progress.
    if (run === null || run.fresh * MESSAGES_PER_FRESH * (speakers > 0 ? 2 : 1) > run.messages) continue;
    const { messages, degree, since } = run;
    const alike = degree === DEGREES.alike;
    const near = degree > DEGREES.echo;
    const period = near || speakers > 0 ? 1 : width;
    const count = Math.floor(messages / period);
    const threshold =
      speakers > 0
        ? value * (speakers > 1 ? PATIENCE : LONE_PATIENCE)
        : (once + (alike ? MORE_IF_ALIKE : 0)) * (width / period);
    if (count >= threshold) return { period, count, threshold, alike, near, speakers, since };
  }
  return null;
}
