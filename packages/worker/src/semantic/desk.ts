import type { CheckAnswer, CheckRecord, DetectionSettings } from '@loopwatch/contract';
import { oneLine, planDetection } from '@loopwatch/detectors';
import type { CheckHandling, LateAnswer } from '@loopwatch/pipeline';
import type { Logger } from 'pino';
import type { WorkerMetrics } from '../metrics.ts';
import { CallBudget } from './budget.ts';
import { CheckAnswerer, checkRecord, RecordedAnswers } from './check-answerer.ts';
import { LimitedJudge, type ModelClient } from './limited-judge.ts';

export interface DeskDeps {
  readonly client: ModelClient;
  readonly detection: DetectionSettings;
  readonly metrics: Pick<WorkerMetrics, 'semanticChecks' | 'semanticDuration' | 'semanticTokens'>;
  readonly logger: Logger;
  /** Publishes what an answer led to, and the record of the answer. */
  deliver(late: LateAnswer, record: CheckRecord): void;
}

/** Where a worker's checks are answered: beside the stream, within limits, counted and recorded. */
export class SemanticDesk implements CheckHandling {
  private readonly deps: DeskDeps;
  private readonly judge: LimitedJudge;
  private readonly answerer: CheckAnswerer;
  /** Checks that the stronger model was asked about, by id. */
  private readonly confirmed = new Set<string>();
  private closed = false;

  constructor(deps: DeskDeps) {
    this.deps = deps;
    const { client, detection, metrics, logger } = deps;
    const { semantic } = detection;
    const limits = {
      maxConcurrent: semantic.max_concurrent,
      perMinute: semantic.per_minute,
      perSession: semantic.per_session,
    };
    const budget = new CallBudget(limits, () => performance.now());
    this.judge = new LimitedJudge(client, budget, semantic.timeout_seconds * 1000, ({ input, output }) => {
      metrics.semanticTokens.inc({ kind: 'input' }, input);
      metrics.semanticTokens.inc({ kind: 'output' }, output);
    });
    this.answerer = new CheckAnswerer({
      judge: this.judge,
      recorded: new RecordedAnswers(),
      secondOpinion: semantic.second_opinion,
      mask: planDetection(detection).privacy.mask,
      failed: (failure, message, { sessionId, turn }) => {
        if (this.closed) return;
        metrics.semanticChecks.inc({ result: failure });
        logger.warn(
          { sessionId, turn, failure },
          oneLine(`Semantic check not answered (${failure}): ${message.slice(0, 300)}`),
        );
      },
    });
  }

  async answer(check: Parameters<CheckHandling['answer']>[0]): Promise<CheckAnswer> {
    const began = performance.now();
    const answer = await this.answerer.answer(check, () => this.confirmed.add(check.id));
    this.deps.metrics.semanticDuration.observe((performance.now() - began) / 1000);
    return answer;
  }

  late(late: LateAnswer): void {
    const { check, answer, verdicts } = late;
    const confirmed = this.confirmed.delete(check.id);
    if (this.closed) return;
    const { client, metrics, detection, logger } = this.deps;
    const result = resultOf(late);
    if (result !== undefined) metrics.semanticChecks.inc({ result });
    const { sessionId, turn } = check;
    logger.debug({ sessionId, turn, result: result ?? answer, verdicts: verdicts?.length }, 'Semantic check');
    const model = (confirmed ? client.secondModel : null) ?? client.model;
    this.deps.deliver(late, checkRecord(check, answer, { model, storeText: detection.privacy.store_text }));
  }

  /** Gives up what is being asked; the answers are not waited for. */
  close(): void {
    this.closed = true;
    this.judge.close();
  }
}

/** Failures were counted when they happened. */
function resultOf({ check, answer, verdicts }: LateAnswer): string | undefined {
  if ('failure' in answer) return undefined;
  if (verdicts === null) return 'discarded';
  return answer.confidence > check.threshold ? 'loop' : 'none';
}
