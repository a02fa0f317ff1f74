import type { CheckAnswer, CheckFailure, CheckRecord } from '@loopwatch/contract';
import type { SemanticCheck } from '@loopwatch/detectors';
import { type MaskPatterns, maskSecrets } from '@loopwatch/detectors/internal';
import { LRUCache } from 'lru-cache';
import { askJudge, type Judge } from './ask-judge.ts';

/** Answers kept in memory; the oldest are dropped first. */
const MAX_RECORDED = 10_000;

/** Earlier answers by check id, so that no model is asked twice. */
export class RecordedAnswers {
  readonly #answers = new LRUCache<string, CheckAnswer>({ max: MAX_RECORDED });

  get(id: string): CheckAnswer | undefined {
    return this.#answers.get(id);
  }

  add({
    id,
    analysis,
    confidence,
    failure,
  }: Pick<CheckRecord, 'id' | 'analysis' | 'confidence' | 'failure'>): void {
    const answered = confidence !== null && analysis !== null;
    this.#answers.set(id, answered ? { analysis, confidence } : { failure: failure ?? 'error' });
  }
}

export interface AnswererOptions {
  /** If undefined, only recorded answers are used. */
  readonly judge: Judge | undefined;
  readonly recorded: RecordedAnswers;
  readonly secondOpinion: boolean;
  /** Further patterns whose matches are masked. */
  readonly mask: MaskPatterns;
  /** Called for each failed call. */
  onFailure(failure: CheckFailure, message: string, check: SemanticCheck): void;
}

/** Answers a check from the recorded answers, or by asking a model. */
export class CheckAnswerer {
  readonly #options: AnswererOptions;

  constructor(options: AnswererOptions) {
    this.#options = options;
  }

  /**
   * Never rejects.
   *
   * @param confirming called when the second model is asked; its answer counts
   */
  async answer(check: SemanticCheck, confirming?: () => void): Promise<CheckAnswer> {
    const { judge, recorded, secondOpinion, mask } = this.#options;
    const known = recorded.get(check.id);
    if (known !== undefined) return known;
    if (judge === undefined) return { failure: 'skipped' };
    const answer = await askJudge(judge, check, {
      secondOpinion,
      ...(confirming !== undefined && { onConfirm: confirming }),
      onFailure: (failure, message) => {
        this.#options.onFailure(failure, message, check);
      },
    });
    // Masked here, so that the recorded and the published answer are the same.
    return 'failure' in answer ? answer : { ...answer, analysis: maskSecrets(answer.analysis, mask) };
  }
}

/** The record of an answer; `model` is the one that gave it. */
export function checkRecord(
  check: SemanticCheck,
  answer: CheckAnswer,
  { model, storeText }: { readonly model: string; readonly storeText: boolean },
): CheckRecord {
  const { id, sessionId, promptId, eventId, eventIndex, time, turn } = check;
  const answered = 'failure' in answer ? null : answer;
  return {
    v: 1,
    id,
    sessionId,
    promptId,
    eventId,
    eventIndex,
    time,
    turn,
    model,
    analysis: answered === null ? null : storeText ? answered.analysis : '',
    confidence: answered?.confidence ?? null,
    failure: 'failure' in answer ? answer.failure : null,
  };
}
