import type { CheckAnswer, CheckRecord, DetectionSettings } from '@loopwatch/contract';
import type { SemanticCheck } from '@loopwatch/detectors';
import { oneLine, planDetection } from '@loopwatch/detectors/internal';
import { failSpan, inSpan } from '@loopwatch/telemetry';
import type { Logger } from 'pino';
import type { WorkerMetrics } from '../report/metrics.ts';
import type { CheckHandling, ConcludedCheck } from '../stream/semantic-checks.ts';
import { CallBudget } from './budget.ts';
import { CheckAnswerer, checkRecord, RecordedAnswers } from './check-answerer.ts';
import { LimitedJudge, type ModelClient } from './limited-judge.ts';

export interface SemanticCheckDeps {
  readonly client: ModelClient;
  readonly detection: DetectionSettings;
  readonly metrics: Pick<WorkerMetrics, 'semanticChecks' | 'semanticDuration' | 'semanticTokens'>;
  readonly logger: Logger;
}

/** Answers a worker's semantic checks in the background: within limits, counted and recorded. */
export class SemanticCheckService implements CheckHandling {
  readonly #deps: SemanticCheckDeps;
  readonly #judge: LimitedJudge;
  readonly #answerer: CheckAnswerer;
  /** The answers of the second model. */
  readonly #confirmed = new WeakSet<CheckAnswer>();
  #closed = false;

  constructor(deps: SemanticCheckDeps) {
    this.#deps = deps;
    const { client, detection, metrics, logger } = deps;
    const { semantic } = detection;
    const limits = {
      maxConcurrent: semantic.max_concurrent,
      perMinute: semantic.per_minute,
      perSession: semantic.per_session,
    };
    const budget = new CallBudget(limits, () => performance.now());
    this.#judge = new LimitedJudge(client, budget, semantic.timeout_seconds * 1000, ({ input, output }) => {
      metrics.semanticTokens.inc({ kind: 'input' }, input);
      metrics.semanticTokens.inc({ kind: 'output' }, output);
    });
    this.#answerer = new CheckAnswerer({
      judge: this.#judge,
      recorded: new RecordedAnswers(),
      secondOpinion: semantic.second_opinion,
      mask: planDetection(detection).privacy.mask,
      onFailure: (failure, message, { sessionId, turn }) => {
        if (this.#closed) return;
        metrics.semanticChecks.inc({ result: failure });
        logger.warn(
          { sessionId, turn, failure },
          oneLine(`Semantic check failed (${failure}): ${message.slice(0, 300)}`),
        );
      },
    });
  }

  async answer(check: SemanticCheck): Promise<CheckAnswer> {
    const startedAt = performance.now();
    const attributes = { 'gen_ai.conversation.id': check.sessionId, 'loopwatch.check.turn': check.turn };
    const answer = await inSpan('semantic check', { attributes }, async (span) => {
      const confirming: SemanticCheck[] = [];
      const given = await this.#answerer.answer(check, () => confirming.push(check));
      if (confirming.length > 0) this.#confirmed.add(given);
      if ('failure' in given) failSpan(span, given.failure);
      else span.setAttribute('loopwatch.check.confidence', given.confidence);
      return given;
    });
    this.#deps.metrics.semanticDuration.observe((performance.now() - startedAt) / 1000);
    return answer;
  }

  onLateAnswer(concluded: ConcludedCheck): CheckRecord | undefined {
    if (this.#closed) return undefined;
    const { check, answer, verdicts } = concluded;
    const { client, metrics, detection, logger } = this.#deps;
    const result = resultOf(concluded);
    if (result !== undefined) metrics.semanticChecks.inc({ result });
    const { sessionId, turn } = check;
    logger.debug({ sessionId, turn, result: result ?? answer, verdicts: verdicts?.length }, 'Semantic check');
    const model = (this.#confirmed.has(answer) ? client.secondModel : null) ?? client.model;
    return checkRecord(check, answer, { model, storeText: detection.privacy.store_text });
  }

  /** Aborts the running checks without waiting for their answers. */
  close(): void {
    this.#closed = true;
    this.#judge.close();
  }
}

/** @returns undefined for a failure, which was counted when it happened */
function resultOf({ check, answer, verdicts }: ConcludedCheck): string | undefined {
  if ('failure' in answer) return undefined;
  if (verdicts === null) return 'discarded';
  return answer.confidence > check.threshold ? 'loop' : 'none';
}
