import { type AgentEvent, detectionSchema, isOpenAfter } from '@loopwatch/contract';
import { type DetectionPlan, detectionOf, type PureVerdict, SessionAnalyzer } from '@loopwatch/detectors';
import type { SettingsVersion } from '@loopwatch/pipeline';
import type { EventBody } from './event-body.ts';
import type { KeptSession } from './kept-session.ts';
import { OpenLoops } from './open-loops.ts';
import type { SessionObserver } from './session-observer.ts';
import type { Settings } from './session-settings.ts';

const NO_IDS = new SessionAnalyzer('', detectionOf(detectionSchema.parse({}))).snapshot().ids;

/** Who a request is for, by the names that events carry. */
export interface Labels {
  readonly model: string | null;
  readonly backend: string;
}

/** An event that was taken, and what came of it. */
interface Taken {
  readonly event: AgentEvent;
  readonly verdicts: readonly PureVerdict[];
  /** Why the settings that it carries were refused. */
  readonly refused?: string;
}

/** The analyzer of one session, with what its verdicts leave standing: open loops, and the limit of tool calls. */
export class SessionDetection {
  readonly loops = new OpenLoops();
  /** For whom the request at hand is. */
  labels: Labels = { model: null, backend: '' };
  /** Not undefined: the limit of tool calls is reached; what the last result says of it. */
  limit: string | undefined;
  private readonly id: string;
  /** Tells the sessions of different processes apart in event ids. */
  private readonly origin: string;
  private readonly observer: SessionObserver;
  private watchedBy: SettingsVersion;
  private analyzer: SessionAnalyzer;
  private events = 0;

  constructor(id: string, version: SettingsVersion, observer: SessionObserver, origin: string) {
    this.id = id;
    this.watchedBy = version;
    this.observer = observer;
    this.origin = origin;
    this.analyzer = new SessionAnalyzer(id, version.detection);
  }

  /** The settings it goes by, the session's own aside. */
  get version(): SettingsVersion {
    return this.watchedBy;
  }

  get plan(): DetectionPlan {
    return this.analyzer.currentPlan;
  }

  get ownSettings(): Settings {
    return this.analyzer.snapshot().overrides;
  }

  adopt(version: SettingsVersion): void {
    this.watchedBy = version;
    this.analyzer.adopt(version.detection);
  }

  /** Tells the analyzer. Detection that fails lets the request pass. */
  take(body: EventBody, now: number): Taken {
    const event = this.eventOf(body, now);
    let verdicts: readonly PureVerdict[] = [];
    let refused: string | undefined;
    try {
      const pushed = this.analyzer.push(event, now);
      verdicts = pushed.verdicts;
      if (pushed.turnRequest !== null) this.observer.turnRequest(this.id, pushed.turnRequest);
      if (pushed.refusal !== null) refused = pushed.refusal;
      if (pushed.abandoned.length > 0) this.loops.clear();
    } catch (error) {
      this.analyzer = new SessionAnalyzer(this.id, this.watchedBy.detection);
      this.loops.clear();
      this.observer.fault(this.id, error);
    }
    this.loops.note(verdicts);
    this.noteLimit(verdicts);
    return { event, verdicts, ...(refused !== undefined && { refused }) };
  }

  snapshot(): Pick<KeptSession, 'analyzer' | 'open' | 'limit'> {
    return {
      // No event of a gateway comes twice, and its ids are most of what there is.
      analyzer: { ...this.analyzer.snapshot(), ids: NO_IDS },
      open: this.loops.verdicts,
      limit: this.limit ?? null,
    };
  }

  restore({ analyzer, open, limit }: Pick<KeptSession, 'analyzer' | 'open' | 'limit'>): void {
    this.analyzer.restore(analyzer);
    this.loops.note(open);
    this.limit = limit ?? undefined;
  }

  private eventOf(body: EventBody, now: number): AgentEvent {
    const short = body.type === 'content' || body.type === 'thought';
    const id = `${this.origin}-${String(this.events)}`;
    this.events += 1;
    return { v: 1, id, sessionId: this.id, time: now, ...body, ...(short ? {} : this.labels) };
  }

  private noteLimit(verdicts: readonly PureVerdict[]): void {
    for (const verdict of verdicts)
      if (verdict.detector === 'tool-limit' && isOpenAfter(verdict))
        this.limit = verdict.evidence.limit_message;
  }
}
