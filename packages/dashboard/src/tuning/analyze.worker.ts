import type { BacktestHit } from '@loopwatch/contract/api';
import { errorText } from '../lib/error-text.ts';
import { analyze, type Recording } from './analyze.ts';
import type { ModelValues, Values } from './config.ts';

/** Runs the detectors off the main thread. */

export type ToWorker =
  | { readonly kind: 'load'; readonly recordings: readonly Recording[] }
  | {
      readonly kind: 'run';
      readonly run: number;
      readonly variants: readonly Values[];
      readonly models: ModelValues;
    };

export type FromWorker =
  | { readonly kind: 'hits'; readonly run: number; readonly hits: Readonly<Record<string, BacktestHit[][]>> }
  | { readonly kind: 'failed'; readonly run: number; readonly message: string };

const loaded = new Map<string, Recording>();

addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === 'load') {
    loaded.clear();
    for (const recording of data.recordings) loaded.set(recording.sessionId, recording);
    return;
  }
  const { run, variants, models } = data;
  try {
    const hits = Object.fromEntries(
      [...loaded.values()].map((recording) => [
        recording.sessionId,
        variants.map((values) => analyze(recording, values, models)),
      ]),
    );
    postMessage({ kind: 'hits', run, hits } satisfies FromWorker);
  } catch (error) {
    postMessage({ kind: 'failed', run, message: errorText(error) } satisfies FromWorker);
  }
});
