import type { DetectionSettings } from '@loopwatch/contract';
import { semanticLayer } from '@loopwatch/detectors';
import { addPrompt, type Detection, detectionOf } from '@loopwatch/detectors/internal';
import { type PipelineObserver, silentObserver, type TopicPartition } from '../records.ts';
import { SessionStore } from '../sessions/store.ts';
import { PartitionPipeline, type SharedPipeline } from './partition-pipeline.ts';
import type { CheckHandling } from './semantic-checks.ts';

/** The pipelines of all partitions that a process owns, which share one session store. */
export class LoopPipeline {
  readonly detection: Detection;
  readonly #shared: SharedPipeline;

  /**
   * @param checks answers the checks of the semantic layer; without it the layer is off
   * @param summaries whether to collect session summaries; drain them with {@link PartitionPipeline.drainSummaries}
   */
  constructor(
    settings: DetectionSettings,
    observer: PipelineObserver = silentObserver,
    checks?: CheckHandling,
    summaries = false,
  ) {
    this.detection = detectionFor(settings, checks);
    const store = new SessionStore({
      detection: this.detection,
      maxSessions: settings.session.max_sessions,
      idleMs: settings.session.idle_seconds * 1000,
      observer,
      summaries,
    });
    this.#shared = { store, observer, checks };
  }

  get activeSessions(): number {
    return this.#shared.store.size;
  }

  /** Opens a partition, without any sessions. */
  partition({ topic, partition }: TopicPartition): PartitionPipeline {
    return new PartitionPipeline(this.#shared.store.open({ topic, partition }), this.#shared);
  }

  /** Prepares settings for partitions to adopt. */
  prepare(settings: DetectionSettings): Detection {
    return detectionFor(settings, this.#shared.checks);
  }

  /** Frees this many of the least recently used sessions; called when memory runs low. */
  free(sessions: number): void {
    this.#shared.store.free(sessions);
  }
}

/** Summaries show the prompts of sessions. */
function detectionFor(settings: DetectionSettings, checks: CheckHandling | undefined): Detection {
  return detectionOf(settings, checks === undefined ? null : semanticLayer, addPrompt);
}
