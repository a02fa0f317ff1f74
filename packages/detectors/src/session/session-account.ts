import { isEventType, type KnownEvent } from '@loopwatch/contract';
import type { Mark } from '../calls/mark.ts';
import type { Labels } from '../incident/finding.ts';

/** A session's usage so far: counters that every event advances. */
export class SessionTotals {
  /** Accepted events, including unknown and control types; also the index of the next event. */
  events = 0;
  prompts = 0;
  turns = 0;
  calls = 0;
  contentUnits = 0;
  thoughtUnits = 0;
  inputTokens = 0;
  outputTokens = 0;
  usageReports = 0;
  cachedTokens = 0;
  usd = 0;
  unpricedReports = 0;
  /** Events of types unknown to this version. */
  unknown = 0;

  /** @param cost US dollars of the turn that the event ends; undefined if its price is unknown */
  count(event: KnownEvent, cost?: number): void {
    this.events += 1;
    switch (event.type) {
      case 'content':
        this.contentUnits += event.text.length;
        break;
      case 'thought':
        this.thoughtUnits += event.text.length;
        break;
      case 'prompt_started':
        this.prompts += 1;
        break;
      case 'turn_started':
        this.turns += 1;
        break;
      case 'tool_call_request':
        this.calls += 1;
        break;
      case 'turn_finished':
        if (event.usage || cost !== undefined) {
          this.inputTokens += event.usage?.inputTokens ?? 0;
          this.outputTokens += event.usage?.outputTokens ?? 0;
          this.cachedTokens += event.usage?.cachedInputTokens ?? 0;
          this.usageReports += 1;
          if (cost === undefined) this.unpricedReports += 1;
          else this.usd += cost;
        }
        break;
      case 'tool_result':
        break;
      default:
        if (!isEventType(event.type)) this.unknown += 1;
    }
  }

  /** A mark of the current usage, at this event. */
  mark(event: KnownEvent, time: number, position: number): Mark {
    const { events, turns, calls, usageReports, cachedTokens, usd, unpricedReports } = this;
    const characters = this.contentUnits + this.thoughtUnits;
    const tokens = this.inputTokens + this.outputTokens;
    const eventId = event.id ?? `#${String(events)}`;
    return {
      eventIndex: events,
      eventId,
      time,
      position,
      turns,
      calls,
      characters,
      tokens,
      usageReports,
      cachedTokens,
      usd,
      unpricedReports,
    };
  }

  snapshot(): TotalsSnapshot {
    return Object.assign({}, this);
  }
}

export type TotalsSnapshot = Omit<SessionTotals, 'count' | 'mark' | 'snapshot'>;

type Tags = Readonly<Record<string, string>>;

type LabelSource = { readonly [K in Exclude<keyof Labels, 'tags'>]?: string | null | undefined } & {
  readonly type?: string;
  readonly tags?: Tags | null | undefined;
};

/** Maximum remembered tags of a session, first come first served. */
export const MAX_TAGS = 16;

/** Shared by sessions without labels. */
export const NO_LABELS: Labels = Object.freeze({
  promptId: null,
  model: null,
  backend: null,
  agent: null,
  tenant: null,
});

const NAMES = [
  'promptId',
  'model',
  'backend',
  'agent',
  'tenant',
  'agentVersion',
  'parentSessionId',
] as const satisfies readonly (keyof Labels)[];

/** The labels after an event; the same object if they did not change. */
export function labelsAfter(labels: Labels, source: LabelSource): Labels {
  let next = labels;
  if (source.type === 'prompt_started' && labels.promptId !== null) next = { ...next, promptId: null };
  for (const name of NAMES) {
    const value = source[name];
    if (typeof value === 'string' && value !== next[name]) next = { ...next, [name]: value };
  }
  const tags = tagsAfter(labels.tags, source.tags);
  return tags === undefined || tags === labels.tags ? next : { ...next, tags };
}

/** The tags after an event: each stays until its name is set again. The same object if they did not change. */
function tagsAfter(tags: Tags | undefined, given: Tags | null | undefined): Tags | undefined {
  if (!given) return tags;
  let next = tags;
  for (const [name, value] of Object.entries(given)) {
    const known = next ?? {};
    const isNews = Object.hasOwn(known, name) ? known[name] !== value : Object.keys(known).length < MAX_TAGS;
    if (isNews) next = { ...known, [name]: value };
  }
  return next;
}
