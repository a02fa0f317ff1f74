import { readFileSync } from 'node:fs';
import { checkSchema, readJson, type Settings } from '@loopwatch/contract';
import { planDetection } from '@loopwatch/detectors';
import type { CheckHandling } from '@loopwatch/pipeline';
import { CallBudget, CheckAnswerer, LimitedJudge, modelClient, RecordedAnswers } from '@loopwatch/worker';
import { UsageError } from '../errors.ts';

/**
 * Answers the semantic checks of a replay from recorded answers, then from the configured model. With neither, the
 * semantic layer is off.
 */
export function checkHandlingFor(settings: Settings, file: string | undefined): CheckHandling | undefined {
  const client = modelClient(settings.llm);
  if (client === undefined && file === undefined) return undefined;
  const { semantic } = settings;
  // A single process asks one question at a time, so only time is limited.
  const unlimited = { maxConcurrent: 1, perMinute: Infinity, perSession: Infinity };
  const budget = new CallBudget(unlimited, () => performance.now());
  return new CheckAnswerer({
    judge: client && new LimitedJudge(client, budget, semantic.timeout_seconds * 1000),
    recorded: file === undefined ? new RecordedAnswers() : readAnswers(file),
    secondOpinion: semantic.second_opinion,
    mask: planDetection(settings).privacy.mask,
    onFailure: (failure, message, { sessionId, turn }) => {
      process.stderr.write(
        `semantic check of ${sessionId} at turn ${String(turn)}: ${failure}: ${message}\n`,
      );
    },
  });
}

/** @throws UsageError with the number of an invalid line */
function readAnswers(file: string): RecordedAnswers {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(
      `--checks ${file}: ${(error as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such file' : String(error)}`,
    );
  }
  const answers = new RecordedAnswers();
  text.split('\n').forEach((line, i) => {
    if (line.trim() === '') return;
    const check = readJson(line, checkSchema);
    if (!check.ok) throw new UsageError(`--checks ${file}:${String(i + 1)}: not a recorded answer`);
    answers.add(check.value);
  });
  return answers;
}
