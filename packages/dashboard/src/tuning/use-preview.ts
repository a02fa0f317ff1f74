import type { BacktestHit } from '@loopwatch/contract/api';
import { useEffect, useRef, useState } from 'react';
import type { Recording } from './analyze.ts';
import type { FromWorker, ToWorker } from './analyze.worker.ts';
import type { ModelValues, Values } from './config.ts';

export interface Preview {
  /** By session: the hits of each variant, in order. Undefined until the first result. */
  readonly hits: Readonly<Record<string, readonly BacktestHit[][]>> | undefined;
  readonly busy: boolean;
  readonly error: string | undefined;
}

interface PreviewRequest {
  readonly variants: readonly Values[];
  /** Undefined until loaded. */
  readonly models?: ModelValues;
}

interface Result extends Omit<Preview, 'busy'> {
  /** The request that it belongs to. */
  readonly of: string;
}

/** Runs the detectors over recordings in a web worker, again whenever a threshold changes. */
export function usePreview(
  recordings: readonly Recording[] | undefined,
  variants: readonly Values[],
  models: ModelValues | undefined,
): Preview {
  const worker = useRef<Worker>(undefined);
  const run = useRef(0);
  const [result, setResult] = useState<Result>({ of: '', hits: undefined, error: undefined });
  const request = JSON.stringify({ variants, models });
  const latest = useRef(request);

  useEffect(() => {
    const started = new Worker(new URL('./analyze.worker.ts', import.meta.url), { type: 'module' });
    worker.current = started;
    started.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
      if (data.run !== run.current) return;
      const { current: of } = latest;
      if (data.kind === 'hits') setResult({ of, hits: data.hits, error: undefined });
      else setResult(({ hits }) => ({ of, hits, error: data.message }));
    });
    started.addEventListener('error', (event) => {
      setResult(({ of, hits }) => ({
        of,
        hits,
        error: event.message || 'Could not load the detectors',
      }));
    });
    return () => {
      started.terminate();
      worker.current = undefined;
    };
  }, []);

  useEffect(() => {
    if (recordings === undefined) return;
    const message: ToWorker = { kind: 'load', recordings };
    worker.current?.postMessage(message);
  }, [recordings]);

  useEffect(() => {
    if (recordings === undefined) return;
    const { variants: values, models: own } = JSON.parse(request) as PreviewRequest;
    if (own === undefined) return;
    run.current += 1;
    latest.current = request;
    const message: ToWorker = { kind: 'run', run: run.current, variants: values, models: own };
    worker.current?.postMessage(message);
  }, [recordings, request]);

  return { hits: result.hits, error: result.error, busy: recordings === undefined || result.of !== request };
}
