import type { VerdictOutcome } from '@loopwatch/contract';
import type { Mark } from '../../calls/mark.ts';
import { identityKey, signature, type ToolIdentity } from '../../calls/tool-identity.ts';
import type { Account, EventStep, Finding, IncidentSnapshot, Standing } from '../../incident/finding.ts';
import { Incident } from '../../incident/incident.ts';
import { counted, firstAndLatest, quotedArguments, sentence, shownCall } from '../../incident/shown-calls.ts';
import { comparable, type SimilaritySettings, similarity } from '../../lib/similarity.ts';
import type { ToolRepeatOptions } from './options.ts';
import { toolGuidance, windowPhrase } from './wording.ts';

/** Number of a tool's calls that a new one is compared with; bounds memory and the cost per call. */
export const COMPARED_CALLS = 128;
/** With a high threshold, twice the threshold of calls are stored, up to this maximum. */
const MAX_CALLS = 4096;
/** Maximum remembered tools of a session; beyond it the least recently called tool is forgotten. */
const REMEMBERED_TOOLS = 256;

interface PastCall {
  readonly name: string;
  /** The canonical arguments, normalized for comparison. */
  readonly form: string;
  readonly shown: string;
  readonly mark: Mark;
}

interface OpenIncident {
  readonly incident: Incident<'tool-repeat'>;
  readonly identity: ToolIdentity;
  readonly options: ToolRepeatOptions;
  readonly calls: readonly PastCall[];
}

/** Finds calls of one tool with nearly equal arguments within a time window: tool-repeat's similar matching. */
export class SimilarCalls {
  /** Calls by tool, least recently called tool first. */
  readonly #past = new Map<string, readonly PastCall[]>();
  /** Open incidents by tool. */
  readonly #open = new Map<string, OpenIncident>();

  /** Processes a call subject to similar matching. */
  call(
    step: EventStep,
    identity: ToolIdentity,
    canonical: string,
    options: ToolRepeatOptions,
    settings: SimilaritySettings,
  ): Standing {
    this.noteOtherCall(step, identity.name);
    const { ttlMs } = options;
    const call: PastCall = {
      name: identity.name,
      form: comparable(canonical, settings),
      shown: identity.arguments,
      mark: step.mark(),
    };
    const known = new Map<string, boolean>();
    const alike = this.#remember(call, options).filter((earlier) => {
      if (ttlMs !== null && Math.abs(step.time - earlier.mark.time) > ttlMs) return false;
      const seen = known.get(earlier.form);
      if (seen !== undefined) return seen;
      const similar = similarity(earlier.form, call.form, settings) >= settings.threshold;
      known.set(earlier.form, similar);
      return similar;
    });
    if (alike.length < options.threshold) {
      this.#resolve(step, identity.name, 'recovered', 'a call with other arguments followed');
      return { count: alike.length, action: 'none' };
    }
    const incident =
      this.#open.get(identity.name)?.incident ??
      new Incident(options.mode, options.threshold, (alike[0] ?? call).mark);
    const open: OpenIncident = { incident, identity, options, calls: firstAndLatest(alike) };
    this.#open.set(identity.name, open);
    incident.report(step, alike.length, () => account(open));
    return { count: alike.length, action: incident.action };
  }

  /** Adds the call to those of its tool. @returns all of them, oldest first */
  #remember(call: PastCall, { threshold }: ToolRepeatOptions): readonly PastCall[] {
    // Never mutate the list: a snapshot may hold it.
    const most = Math.min(MAX_CALLS, Math.max(COMPARED_CALLS, threshold * 2));
    const calls = [...(this.#past.get(call.name) ?? []).slice(1 - most), call];
    this.#past.delete(call.name);
    this.#past.set(call.name, calls);
    const [longestAgo] = this.#past.keys();
    if (this.#past.size > REMEMBERED_TOOLS && longestAgo !== undefined) this.#past.delete(longestAgo);
    return calls;
  }

  /** Notes any call: after a chance, a model is expected to make one that does not repeat the pattern. */
  noteOtherCall(step: EventStep, name: string): void {
    for (const [tool, { incident }] of this.#open) {
      if (tool !== name && incident.action === 'chance')
        this.#resolve(step, tool, 'recovered', 'another call followed');
    }
  }

  current(): readonly Finding[] {
    return Array.from(this.#open.values(), (open) => open.incident.finding('escalated', account(open)));
  }

  /** Ends all incidents and forgets the calls. */
  end(step: EventStep, outcome: VerdictOutcome, why: string): void {
    for (const tool of [...this.#open.keys()]) this.#resolve(step, tool, outcome, why);
    this.#past.clear();
  }

  #resolve(step: EventStep, tool: string, outcome: VerdictOutcome, why: string): void {
    const open = this.#open.get(tool);
    if (open === undefined) return;
    this.#open.delete(tool);
    const { incident } = open;
    const wording = sentence`${tool} was called ${counted(incident.count)} times with similar arguments`;
    step.emit(incident.resolution({ ...account(open), ...wording }, outcome, why));
  }

  snapshot(): SimilarSnapshot {
    const open = [...this.#open].map(([tool, entry]) => ({
      tool,
      ...entry,
      incident: entry.incident.snapshot(),
    }));
    return { past: [...this.#past.values()], open };
  }

  restore(snapshot: SimilarSnapshot): void {
    this.#past.clear();
    for (const calls of snapshot.past) this.#past.set(calls[0]?.name ?? '', calls);
    this.#open.clear();
    for (const { tool, incident, ...rest } of snapshot.open) {
      this.#open.set(tool, { ...rest, incident: Incident.restore(incident) });
    }
  }
}

function account({ incident: { count }, identity, options, calls }: OpenIncident): Account<'tool-repeat'> {
  const { name } = identity;
  const within = options.ttlMs === null ? '' : ` ${windowPhrase(options.ttlMs)}`;
  const said = sentence`${name}${quotedArguments(identity.arguments)} was called ${counted(count)} times${within} with the same or nearly the same arguments`;
  return {
    detector: 'tool-repeat',
    key: name,
    threshold: options.threshold,
    thresholdOf: { setting: 'tool_call_loop.max_repeats', value: options.threshold },
    windowMs: options.ttlMs,
    tool: { name, signature: signature(identity) },
    repeats: [identityKey(identity)],
    repeatsAlike: true,
    ...said,
    guidance: toolGuidance({ tool: name, count, reason: said.reason }, identity.arguments, options),
    evidence: {
      matching: 'similar',
      similarity: options.similarity,
      calls: calls.map(({ shown, mark }, i) =>
        shownCall(mark, name, shown, i === 0 ? 1 : count - calls.length + i + 1),
      ),
    },
    calls: count,
  };
}

interface OpenSnapshot extends Omit<OpenIncident, 'incident'> {
  readonly tool: string;
  readonly incident: IncidentSnapshot;
}

export interface SimilarSnapshot {
  readonly past: readonly (readonly PastCall[])[];
  readonly open: readonly OpenSnapshot[];
}
