import { isEventType, type KnownEvent } from '@loopwatch/contract';
import type { Mark } from '../calls/mark.ts';

/** What a session has used so far: counters that every event moves on. */
export class SessionTotals {
  /** Accepted events, unknown types and control included: the index of the next one. */
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
  /** Events of types that this version does not know. */
  unknown = 0;

  /** @param cost US dollars of the turn that the event ends; undefined where no price is known */
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
      default:
        if (!isEventType(event.type)) this.unknown += 1;
    }
  }

  /** The session as it stands, at this event. */
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
    const { events, prompts, turns, calls, contentUnits, thoughtUnits } = this;
    const { inputTokens, outputTokens, usageReports, cachedTokens, usd, unpricedReports, unknown } = this;
    return {
      events,
      prompts,
      turns,
      calls,
      contentUnits,
      thoughtUnits,
      inputTokens,
      outputTokens,
      usageReports,
      cachedTokens,
      usd,
      unpricedReports,
      unknown,
    };
  }
}

export type TotalsSnapshot = Omit<SessionTotals, 'count' | 'mark' | 'snapshot'>;
