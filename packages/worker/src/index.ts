export { CallBudget } from './semantic/budget.ts';
export { CheckAnswerer, RecordedAnswers } from './semantic/check-answerer.ts';
export { LimitedJudge, type ModelClient } from './semantic/limited-judge.ts';
export { modelClient } from './semantic/openai-client.ts';
export type { Sources } from './sources/source-intake.ts';
export { Worker, type WorkerDeps } from './worker.ts';
