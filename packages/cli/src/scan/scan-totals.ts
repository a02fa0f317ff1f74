import type { Waste } from '@loopwatch/contract';
import type { NotUnderstood } from '../events/understood.ts';
import { formatDay } from './format-values.ts';
import type { ScannedLoop, ScannedStore, ScanReport, Share, Usage } from './scan-report.ts';
import type { ScannedPart, ScannedSession } from './scanned-session.ts';

/** How many loops a report lists. */
const MAX_LISTED_LOOPS = 10;

/** Totals over the sessions of a scan, updated as each session ends. */
export class ScanTotals {
  characters = 0;
  duplicates = 0;
  readonly skipped: string[] = [];
  readonly notUnderstood: NotUnderstood[] = [];
  readonly #since: number;
  readonly #stores = new Map<string, ScannedStore>();
  #sessions = 0;
  #sessionsWithLoops = 0;
  #earlierSessions = 0;
  #events = 0;
  #loops = 0;
  #worst: ScannedLoop[] = [];
  readonly #agents = new Map<string, number>();
  readonly #withoutPrice = new Set<string>();
  readonly #used = noUsage();
  readonly #wasted = noUsage();
  readonly #byAgent = new Map<string, Share>();
  readonly #byProject = new Map<string, Share>();
  readonly #byDay = new Map<string, Share>();
  readonly #byDetector = new Map<string, { loops: number } & Usage>();

  /** @param since epoch ms; parts of sessions whose latest event is older are left out, unless they have no clock */
  constructor(since: number) {
    this.#since = since;
  }

  /** @param agent in whose folder the file was found */
  addFile(agent: string | undefined, isRead: boolean): void {
    if (agent === undefined) return;
    const store = this.#storeOf(agent);
    if (isRead) store.files += 1;
    else store.skippedFiles += 1;
  }

  #storeOf(agent: string): ScannedStore {
    const store = this.#stores.get(agent) ?? { agent, files: 0, skippedFiles: 0, sessions: 0, calls: 0 };
    this.#stores.set(agent, store);
    return store;
  }

  /** @param agent in whose folder the session was found */
  add(session: ScannedSession, agent: string | undefined): void {
    const all = session.parts;
    const parts = all.filter(({ endedAt }) => endedAt >= this.#since || formatDay(endedAt) === null);
    for (const { events } of all) this.#events += events;
    this.duplicates += session.duplicates;
    if (parts.length === 0) {
      if (all.length > 0) this.#earlierSessions += 1;
      return;
    }
    this.#sessions += 1;
    const name = parts.find((own) => own.agent !== null)?.agent ?? agent ?? 'unknown';
    this.#agents.set(name, (this.#agents.get(name) ?? 0) + 1);
    const store = agent === undefined ? undefined : this.#storeOf(agent);
    if (store !== undefined) store.sessions += 1;
    const shares = [shareOf(this.#byAgent, name), shareOf(this.#byProject, session.project ?? 'unknown')];
    const days = new Set<Share>();
    const unpriced = new Set<Usage>();
    for (const part of parts) {
      const { model, toolCalls: calls, tokens, usd } = part;
      if (store !== undefined) store.calls += calls;
      const day = this.#dayOf(part);
      days.add(day);
      const sums = [this.#used, day.used, ...shares.map((share) => share.used)];
      if (tokens !== null && usd === null) {
        this.#withoutPrice.add(model ?? 'sessions without a model name');
        for (const used of sums) unpriced.add(used);
      }
      const own = {
        calls,
        tokens: tokens === null ? 0 : tokens.input + tokens.output,
        usd: usd ?? 0,
        unpriced: 0,
      };
      for (const used of sums) addUsage(used, own);
    }
    for (const share of [...shares, ...days]) share.sessions += 1;
    for (const used of unpriced) used.unpriced += 1;
    let hasLoop = false;
    for (const loop of session.loops) {
      const part = all.findLast(({ startedAt }) => startedAt <= loop.time) ?? all[0];
      if (loop.kind !== 'loop' || part === undefined || !parts.includes(part)) continue;
      hasLoop = true;
      this.#addLoop(loop, unpriced.size === 0, [...shares, this.#dayOf(part)]);
      this.#worst = [...this.#worst, loop].sort(byWaste).slice(0, MAX_LISTED_LOOPS);
    }
    if (hasLoop) this.#sessionsWithLoops += 1;
  }

  /** A loop counts on the day of its part, whose usage contains it. */
  #dayOf({ startedAt }: ScannedPart): Share {
    return shareOf(this.#byDay, formatDay(startedAt) ?? 'unknown');
  }

  /** @param isPriced whether the dollars of its session are known, so that they can be compared */
  #addLoop({ detector, wasted }: ScannedLoop, isPriced: boolean, shares: readonly Share[]): void {
    const usage = usageOf(isPriced || wasted.tokens === null ? wasted : { ...wasted, usd: null });
    for (const share of shares) {
      share.loops += 1;
      addUsage(share.wasted, usage);
    }
    this.#loops += 1;
    addUsage(this.#wasted, usage);
    const own = this.#byDetector.get(detector) ?? { loops: 0, ...noUsage() };
    own.loops += 1;
    addUsage(own, usage);
    this.#byDetector.set(detector, own);
  }

  report(read: Pick<ScanReport, 'files' | 'bytes' | 'seconds' | 'ignored' | 'faults'>): ScanReport {
    return {
      v: 1,
      files: read.files,
      bytes: read.bytes,
      characters: this.characters,
      seconds: read.seconds,
      sessions: this.#sessions,
      sessionsWithLoops: this.#sessionsWithLoops,
      earlierSessions: this.#earlierSessions,
      agents: sortEntries(this.#agents, (count) => count),
      events: this.#events,
      duplicates: this.duplicates,
      ignored: read.ignored,
      faults: read.faults,
      skippedFiles: this.skipped.length,
      firstSkipped: this.skipped[0] ?? null,
      stores: [...this.#stores.values()],
      notUnderstood: this.notUnderstood,
      used: this.#used,
      loops: this.#loops,
      wasted: this.#wasted,
      byDetector: sortEntries(this.#byDetector, ({ loops }) => loops),
      byAgent: sortEntries(this.#byAgent, ({ sessions }) => sessions),
      byProject: sortEntries(this.#byProject, ({ sessions }) => sessions),
      byDay: Object.fromEntries([...this.#byDay].sort(([a], [b]) => (a < b ? -1 : 1))),
      withoutPrice: [...this.#withoutPrice].sort(),
      worst: this.#worst,
    };
  }
}

function shareOf(shares: Map<string, Share>, name: string): Share {
  const share = shares.get(name) ?? { sessions: 0, loops: 0, used: noUsage(), wasted: noUsage() };
  shares.set(name, share);
  return share;
}

function noUsage(): Usage {
  return { calls: 0, tokens: 0, usd: 0, unpriced: 0 };
}

/** What a loop wasted, with amounts that are not known as 0. */
export function usageOf({ calls, tokens, usd }: Waste): Usage {
  return { calls, tokens: tokens ?? 0, usd: usd ?? 0, unpriced: tokens !== null && usd == null ? 1 : 0 };
}

function addUsage(sum: Usage, { calls, tokens, usd, unpriced }: Usage): void {
  sum.unpriced += unpriced;
  sum.calls += calls;
  sum.tokens += tokens;
  sum.usd += usd;
}

/** Sorts by what was wasted: dollars, then tokens, then calls. */
function byWaste(a: ScannedLoop, b: ScannedLoop): number {
  const [one, other] = [usageOf(a.wasted), usageOf(b.wasted)];
  return other.usd - one.usd || other.tokens - one.tokens || other.calls - one.calls;
}

/** The entries of a map, the largest first. */
function sortEntries<T>(map: ReadonlyMap<string, T>, size: (value: T) => number): Record<string, T> {
  return Object.fromEntries([...map].sort(([, a], [, b]) => size(b) - size(a)));
}
