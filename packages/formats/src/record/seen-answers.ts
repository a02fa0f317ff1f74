/** An answer of a model that was read. */
export interface SeenAnswer {
  readonly id: string;
  readonly callIds: readonly (string | null)[];
}

/** Answers of models by what identifies them in histories that name their calls otherwise. */
export type SeenAnswers = Map<string, SeenAnswer>;
