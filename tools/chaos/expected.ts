import { type DetectionSettings, deadLetterHeaders, type Verdict } from '@loopwatch/contract';
import type { TopicRecord } from '@loopwatch/testkit';
import { LoopPipeline } from '@loopwatch/worker/stream';

/** The expected results of some records. */
export interface Results {
  /** In the order of each session. */
  readonly verdicts: readonly Verdict[];
  /** One line for each unreadable record: its offset, the reason, and its content. */
  readonly deadLetters: readonly string[];
}

/** The results of a single process without failures on the records of the events topic, in order per partition. */
export async function expectedResults(
  topic: string,
  records: readonly TopicRecord[],
  detection: DetectionSettings,
): Promise<Results> {
  const verdicts: Verdict[] = [];
  const deadLetters: string[] = [];
  const partitions = new Set(records.map(({ partition }) => partition));
  for (const partition of partitions) {
    const pipeline = new LoopPipeline(detection).partition({ topic, partition });
    const own = records
      .filter((record) => record.partition === partition)
      .map((record) => ({ ...record, text: record.value }));
    await pipeline.process(own).forEach((outcome) => {
      // As in JSON: without undefined fields.
      if (outcome.type === 'verdict') verdicts.push(JSON.parse(JSON.stringify(outcome.verdict)) as Verdict);
      else if (outcome.type === 'dead_letter')
        deadLetters.push(
          lineOf(outcome.record, `${topic}/${partition}@${outcome.record.offset}`, outcome.reason),
        );
    });
  }
  return { verdicts, deadLetters };
}

/** The actual results, read with read committed. */
export function foundResults(verdicts: readonly TopicRecord[], deadLetters: readonly TopicRecord[]): Results {
  return {
    verdicts: verdicts.map(({ value }) => {
      const verdict = JSON.parse(value ?? 'null') as Verdict;
      delete verdict.detectedAt;
      return verdict;
    }),
    deadLetters: deadLetters.map((record) => {
      const { topic, partition, offset, code } = deadLetterHeaders;
      const { headers } = record;
      return lineOf(
        record,
        `${headers[topic]}/${headers[partition]}@${headers[offset]}`,
        headers[code] ?? '',
      );
    }),
  };
}

function lineOf({ key, value }: Pick<TopicRecord, 'key' | 'value'>, place: string, reason: string): string {
  return JSON.stringify({ place, reason, key, value });
}
