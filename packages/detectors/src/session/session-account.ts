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

/** The labels after an event; the same object if they did not change. */
export function labelsAfter(labels: Labels, source: LabelSource): Labels {
  const promptId = valueOr(source.promptId, source.type === 'prompt_started' ? null : labels.promptId);
  const model = valueOr(source.model, labels.model);
  const backend = valueOr(source.backend, labels.backend);
  const agent = valueOr(source.agent, labels.agent);
  const tenant = valueOr(source.tenant, labels.tenant);
  const agentVersion = valueOr(source.agentVersion, labels.agentVersion ?? null);
  const tags = tagsAfter(labels.tags, source.tags);
  const parentSessionId = valueOr(source.parentSessionId, labels.parentSessionId ?? null);
  const isSame =
    promptId === labels.promptId &&
    model === labels.model &&
    backend === labels.backend &&
    agent === labels.agent &&
    tenant === labels.tenant &&
    agentVersion === (labels.agentVersion ?? null) &&
    tags === labels.tags &&
    parentSessionId === (labels.parentSessionId ?? null);
  if (isSame) return labels;
  return {
    promptId,
    model,
    backend,
    agent,
    tenant,
    ...(agentVersion !== null && { agentVersion }),
    ...(tags !== undefined && { tags }),
    ...(parentSessionId !== null && { parentSessionId }),
  };
}

/** The tags after an event: each stays until its name is set again. The same object if they did not change. */
function tagsAfter(tags: Tags | undefined, valueOr: Tags | null | undefined): Tags | undefined {
  if (valueOr === null || valueOr === undefined) return tags;
  const given = Object.entries(valueOr);
  if (tags !== undefined && given.every(([name, value]) => tags[name] === value)) return tags;
  const known = new Map(Object.entries(tags ?? {}));
  let changed = false;
  for (const [name, value] of given) {
    if (known.get(name) === value || (!known.has(name) && known.size >= MAX_TAGS)) continue;
    known.set(name, value);
    changed = true;
  }
  return changed ? Object.fromEntries(known) : tags;
}

function valueOr(value: string | null | undefined, otherwise: string | null): string | null {
  return typeof value === 'string' ? value : otherwise;
}
