import { readFileSync } from 'node:fs';
import { checkSchema, readJson, type Settings } from '@loopwatch/contract';
import { planDetection } from '@loopwatch/detectors/internal';
import type { RecordedAnswers } from '@loopwatch/worker';
import type { CheckHandling } from '@loopwatch/worker/stream';
import { UsageError } from '../errors.ts';
import { writeError } from '../runtime/output.ts';

/**
 * Answers the semantic checks of a replay from recorded answers, then from the configured model. With neither, the
 * semantic layer is off.
 */
export async function checkHandlingFor(
  settings: Settings,
  file: string | undefined,
): Promise<CheckHandling | undefined> {
  // Most replays have neither, and the worker takes long to load.
  if (settings.llm.model === undefined && file === undefined) return undefined;
  const { CallBudget, CheckAnswerer, LimitedJudge, modelClient, RecordedAnswers } = await import(
    '@loopwatch/worker'
  );
  const client = modelClient(settings.llm);
  if (client === undefined && file === undefined) return undefined;
  const { semantic } = settings;
  const answers = new RecordedAnswers();
  if (file !== undefined) readAnswers(file, answers);
  // A single process asks one question at a time, so only time is limited.
  const unlimited = { maxConcurrent: 1, perMinute: Infinity, perSession: Infinity };
  const budget = new CallBudget(unlimited, () => performance.now());
  return new CheckAnswerer({
    judge: client && new LimitedJudge(client, budget, semantic.timeout_seconds * 1000),
    recorded: answers,
    secondOpinion: semantic.second_opinion,
    mask: planDetection(settings).privacy.mask,
    onFailure: (failure, message, { sessionId, turn }) => {
      writeError(`semantic check of ${sessionId} at turn ${String(turn)}: ${failure}: ${message}\n`);
    },
  });
}

/** @throws UsageError with the number of an invalid line */
function readAnswers(file: string, answers: RecordedAnswers): void {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(
      `--checks ${file}: ${(error as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such file' : String(error)}`,
    );
  }
  text.split('\n').forEach((line, i) => {
    if (line.trim() === '') return;
    const check = readJson(line, checkSchema);
    if (!check.ok) throw new UsageError(`--checks ${file}:${String(i + 1)}: not a recorded answer`);
    answers.add(check.value);
  });
}
