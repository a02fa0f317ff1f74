import type { BacktestHit } from '@loopwatch/contract/api';
import { z } from 'zod';
import { errorText } from '../lib/error-text.ts';
import { analyze, type Recording } from './analyze.ts';
import type { ModelValues, Values } from './config.ts';

/** Runs the detectors beside the page, so that it stays quick while they work. */

export type ToWorker =
  | { readonly kind: 'keep'; readonly recordings: readonly Recording[] }
  | {
      readonly kind: 'run';
      readonly run: number;
      readonly variants: readonly Values[];
      readonly models: ModelValues;
    };

export type FromWorker =
  | { readonly kind: 'hits'; readonly run: number; readonly hits: Readonly<Record<string, BacktestHit[][]>> }
  | { readonly kind: 'failed'; readonly run: number; readonly message: string };

// The content security policy allows no code that is made at run time.
z.config({ jitless: true });

const kept = new Map<string, Recording>();

addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === 'keep') {
    kept.clear();
    for (const recording of data.recordings) kept.set(recording.sessionId, recording);
    return;
  }
  const { run, variants, models } = data;
  try {
    const hits = Object.fromEntries(
      [...kept.values()].map((recording) => [
        recording.sessionId,
        variants.map((values) => analyze(recording, values, models)),
      ]),
    );
    postMessage({ kind: 'hits', run, hits } satisfies FromWorker);
  } catch (error) {
    postMessage({ kind: 'failed', run, message: errorText(error) } satisfies FromWorker);
  }
});
