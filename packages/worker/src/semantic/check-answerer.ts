import type { CheckAnswer, CheckFailure, CheckRecord } from '@loopwatch/contract';
import { type MaskPatterns, maskSecrets, type SemanticCheck } from '@loopwatch/detectors';
import { askJudge, type Judge } from '@loopwatch/pipeline';

/** Answers kept in memory; the oldest go first. */
const MAX_RECORDED = 10_000;

/** Answers that were given already, by check: no model is asked twice. */
export class RecordedAnswers {
  private readonly answers = new Map<string, CheckAnswer>();

  get(id: string): CheckAnswer | undefined {
    return this.answers.get(id);
  }

  add({
    id,
    analysis,
    confidence,
    failure,
  }: Pick<CheckRecord, 'id' | 'analysis' | 'confidence' | 'failure'>): void {
    this.answers.delete(id);
    const answered = confidence !== null && analysis !== null;
    this.answers.set(id, answered ? { analysis, confidence } : { failure: failure ?? 'error' });
    for (const oldest of this.answers.keys()) {
      if (this.answers.size <= MAX_RECORDED) break;
      this.answers.delete(oldest);
    }
  }
}

export interface AnswererOptions {
  /** None: only recorded answers count. */
  readonly judge: Judge | undefined;
  readonly recorded: RecordedAnswers;
  readonly secondOpinion: boolean;
  /** Further patterns whose matches are masked. */
  readonly mask: MaskPatterns;
  /** Told of each call that failed. */
  failed(failure: CheckFailure, message: string, check: SemanticCheck): void;
}

/** Finds the answer to a check: a recorded one, or a model's. */
export class CheckAnswerer {
  private readonly options: AnswererOptions;

  constructor(options: AnswererOptions) {
    this.options = options;
  }

  /**
   * Never rejects.
   *
   * @param confirming told that the stronger model is asked, whose answer will count
   */
  async answer(check: SemanticCheck, confirming?: () => void): Promise<CheckAnswer> {
    const { judge, recorded, secondOpinion, mask } = this.options;
    const known = recorded.get(check.id);
    if (known !== undefined) return known;
    if (judge === undefined) return { failure: 'skipped' };
    const answer = await askJudge(judge, check, {
      secondOpinion,
      ...(confirming !== undefined && { confirming }),
      failed: (failure, message) => {
        this.options.failed(failure, message, check);
      },
    });
    // Masked at once, so that what is recorded and what is told are the same.
    return 'failure' in answer ? answer : { ...answer, analysis: maskSecrets(answer.analysis, mask) };
  }
}

/** An answer as it is recorded; `model` is the one that gave it. */
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
