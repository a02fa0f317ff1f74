import type { SessionSummary } from '@loopwatch/contract';

/**
 * What a session counted up to a long pause. Detection counts from 0 again after one, so the summaries of a session
 * describe one part after another; a person asks about all of them.
 */
export interface SessionPart
  extends Pick<
    SessionSummary,
    | 'startedAt'
    | 'lastEventAt'
    | 'events'
    | 'unknown'
    | 'prompts'
    | 'turns'
    | 'toolCalls'
    | 'characters'
    | 'tokens'
    | 'usd'
    | 'verdicts'
    | 'progress'
    | 'source'
    | 'openIncidents'
  > {
  readonly incidents: SessionSummary['incidents'];
  /** Present if it is the sum of several parts. */
  readonly merged?: true;
}

/** The sums of all parts of a session, with the state of its latest one. */
export interface WholeSession extends SessionSummary {
  readonly incidents: SessionSummary['incidents'] & {
    /** Unresolved incidents before the latest long pause, which no event can resolve; absent without such a pause. */
    readonly abandoned?: number;
  };
}

export interface StoredSession {
  readonly doc: WholeSession;
  /** All parts, oldest first; `null` while there is only one, which is the summary itself. */
  readonly parts: readonly SessionPart[] | null;
}

/** A session that pauses every night for a year must not grow without limit: its oldest parts are merged. */
const MAX_PARTS = 32;
/** Progress is kept as in the summaries of the `sessions` topic: up to 16 pairs of numbers. */
const MAX_PROGRESS_NUMBERS = 32;

/** Identifies the part that a summary describes. */
export function partKey({ topic, partition, firstOffset }: SessionSummary['source']): string {
  return `${topic}/${String(partition)}/${firstOffset}`;
}

/**
 * Adds a summary, which replaces an earlier one of the same part. A new part that overlaps others replaces them: the
 * topic is analyzed again from another offset. So does one whose time contains theirs: parts have pauses between them, so
 * it is the same history, sent again after the worker had forgotten the session. Until it has caught up, it counts for nothing.
 */
export function addSummary(stored: StoredSession | undefined, summary: SessionSummary): StoredSession {
  if (stored === undefined) return { doc: summary, parts: null };
  const parts = stored.parts ?? [partOf(stored.doc)];
  const key = partKey(summary.source);
  const at = parts.findIndex(({ source, merged }) => merged === undefined && partKey(source) === key);
  if (at !== -1 && at < parts.length - 1) {
    const replaced = parts.with(at, partOf(summary));
    return { doc: wholeOf(replaced, stored.doc), parts: replaced };
  }
  const others = at === -1 ? parts : parts.slice(0, -1);
  const overlapping = others.filter(({ source }) => overlap(source, summary.source));
  if (overlapping.some(({ merged }) => merged === true)) return stored;
  const again = others.filter((part) => contains(summary, part));
  if (again.length === 0 && others.some((part) => contains(part, summary))) return stored;
  const rest = others.filter((part) => !overlapping.includes(part) && !again.includes(part));
  const next = again.length === 0 ? -1 : rest.findIndex(({ startedAt }) => startedAt > summary.startedAt);
  const all = rest.toSpliced(next === -1 ? rest.length : next, 0, partOf(summary));
  if (all.length === 1) return { doc: summary, parts: null };
  const [first, second, ...later] = all;
  const isFull = all.length > MAX_PARTS && first !== undefined && second !== undefined;
  const kept = isFull ? [{ ...sumOf([first, second]), merged: true as const }, ...later] : all;
  if (next !== -1) return { doc: wholeOf(kept, stored.doc), parts: kept };
  // The first prompt of all names a session.
  const title = stored.doc.title ?? summary.title;
  const state = title === undefined ? summary : { ...summary, title };
  return { doc: wholeOf(kept, state), parts: kept };
}

function wholeOf(parts: readonly SessionPart[], state: SessionSummary): WholeSession {
  const sum = sumOf(parts);
  const latest = parts.at(-1) ?? sum;
  return {
    ...state,
    ...sum,
    incidents: {
      ...sum.incidents,
      open: state.incidents.open,
      abandoned: sum.incidents.open - latest.incidents.open,
    },
    lastEventAt: latest.lastEventAt,
    source: latest.source,
  };
}

function sumOf(parts: readonly SessionPart[]): SessionPart {
  return parts.reduce((a, b) => ({
    startedAt: Math.min(a.startedAt, b.startedAt),
    lastEventAt: Math.max(a.lastEventAt, b.lastEventAt),
    events: a.events + b.events,
    ...(a.unknown === undefined && b.unknown === undefined
      ? {}
      : { unknown: (a.unknown ?? 0) + (b.unknown ?? 0) }),
    prompts: a.prompts + b.prompts,
    turns: a.turns + b.turns,
    toolCalls: a.toolCalls + b.toolCalls,
    characters: a.characters + b.characters,
    tokens: tokensOf(a.tokens, b.tokens),
    usd: usdOf(a, b),
    verdicts: a.verdicts + b.verdicts,
    ...progressOf(a, b),
    incidents: {
      open: a.incidents.open + b.incidents.open,
      total: a.incidents.total + b.incidents.total,
      byDetector: sumsOf(a.incidents.byDetector, b.incidents.byDetector),
    },
    source: { ...a.source, lastOffset: b.source.lastOffset },
  }));
}

function partOf(summary: SessionSummary | SessionPart): SessionPart {
  const { startedAt, lastEventAt, events, unknown, prompts, turns, toolCalls, characters } = summary;
  const { tokens, usd, verdicts, progress, source, incidents, openIncidents } = summary;
  return {
    startedAt,
    lastEventAt,
    events,
    prompts,
    turns,
    toolCalls,
    characters,
    tokens,
    verdicts,
    source,
    ...(unknown !== undefined && { unknown }),
    ...(usd !== undefined && { usd }),
    ...(progress !== undefined && { progress }),
    ...(openIncidents !== undefined && { openIncidents }),
    incidents: { open: incidents.open, total: incidents.total, byDetector: incidents.byDetector },
  };
}

type Span = Pick<SessionPart, 'startedAt' | 'lastEventAt' | 'events'>;

/** Whether two parts of a session are the same history, of which one may tell more. */
export function isSameHistory(a: Span, b: Span): boolean {
  return contains(a, b) || contains(b, a);
}

function contains(a: Span, b: Span): boolean {
  if (a.startedAt === b.startedAt && a.lastEventAt === b.lastEventAt) return a.events >= b.events;
  return a.startedAt <= b.startedAt && a.lastEventAt >= b.lastEventAt;
}

function overlap(a: SessionSummary['source'], b: SessionSummary['source']): boolean {
  if (a.topic !== b.topic || a.partition !== b.partition) return false;
  return Number(a.firstOffset) <= Number(b.lastOffset) && Number(b.firstOffset) <= Number(a.lastOffset);
}

type Tokens = SessionSummary['tokens'];

/** A part without reported usage adds nothing. */
function tokensOf(a: Tokens, b: Tokens): Tokens {
  if (a === null || b === null) return a ?? b;
  const cached =
    a.cached === undefined && b.cached === undefined ? undefined : (a.cached ?? 0) + (b.cached ?? 0);
  return { input: a.input + b.input, output: a.output + b.output, ...(cached !== undefined && { cached }) };
}

/** Unknown if a part used tokens at an unknown price. */
function usdOf(a: SessionPart, b: SessionPart): number | null {
  const priced = [a, b].filter(({ tokens, usd }) => tokens !== null || usd != null);
  if (priced.length === 0 || priced.some(({ usd }) => usd == null)) return null;
  return priced.reduce((sum, { usd }) => sum + (usd ?? 0), 0);
}

function progressOf(a: SessionPart, b: SessionPart): Pick<SessionPart, 'progress'> {
  const pause = b.startedAt - a.startedAt;
  const later = (b.progress ?? []).map((value, i) => value + (i % 2 === 0 ? pause : a.events));
  let progress = [...(a.progress ?? []), pause, a.events, ...later];
  // Every other sample is dropped, as the worker does it.
  while (progress.length > MAX_PROGRESS_NUMBERS) progress = progress.filter((_, i) => i % 4 < 2);
  return { progress };
}

function sumsOf<T extends Partial<Record<string, number>>>(a: T, b: T): T {
  const sums: Partial<Record<string, number>> = { ...a };
  for (const [key, value] of Object.entries(b)) sums[key] = (sums[key] ?? 0) + (value ?? 0);
  return sums as T;
}
