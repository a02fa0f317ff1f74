import type { BacktestHit } from '@loopwatch/contract/api';
import { useEffect, useRef, useState } from 'react';
import type { Recording } from './analyze.ts';
import type { FromWorker, ToWorker } from './analyze.worker.ts';
import type { ModelValues, Values } from './config.ts';

export interface Trial {
  /** By session: what each variant finds, in their order. Undefined before the first answer. */
  readonly hits: Readonly<Record<string, readonly BacktestHit[][]>> | undefined;
  readonly busy: boolean;
  readonly error: string | undefined;
}

interface Asked {
  readonly variants: readonly Values[];
  /** Undefined: not known yet. */
  readonly models?: ModelValues;
}

interface Answer extends Omit<Trial, 'busy'> {
  /** What was asked. */
  readonly of: string;
}

/** Runs the detectors over recordings in a worker of the browser, again whenever a setting is moved. */
export function useTrial(
  recordings: readonly Recording[] | undefined,
  variants: readonly Values[],
  models: ModelValues | undefined,
): Trial {
  const worker = useRef<Worker>(undefined);
  const run = useRef(0);
  const [answer, setAnswer] = useState<Answer>({ of: '', hits: undefined, error: undefined });
  const asked = JSON.stringify({ variants, models });
  const latest = useRef(asked);

  useEffect(() => {
    const started = new Worker(new URL('./analyze.worker.ts', import.meta.url), { type: 'module' });
    worker.current = started;
    started.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
      if (data.run !== run.current) return;
      const { current: of } = latest;
      if (data.kind === 'hits') setAnswer({ of, hits: data.hits, error: undefined });
      else setAnswer(({ hits }) => ({ of, hits, error: data.message }));
    });
    started.addEventListener('error', (event) => {
      setAnswer(({ of, hits }) => ({
        of,
        hits,
        error: event.message || 'The detectors could not be loaded',
      }));
    });
    return () => {
      started.terminate();
      worker.current = undefined;
    };
  }, []);

  useEffect(() => {
    if (recordings === undefined) return;
    const message: ToWorker = { kind: 'keep', recordings };
    worker.current?.postMessage(message);
  }, [recordings]);

  useEffect(() => {
    if (recordings === undefined) return;
    const { variants: tried, models: own } = JSON.parse(asked) as Asked;
    if (own === undefined) return;
    run.current += 1;
    latest.current = asked;
    const message: ToWorker = { kind: 'run', run: run.current, variants: tried, models: own };
    worker.current?.postMessage(message);
  }, [recordings, asked]);

  return { hits: answer.hits, error: answer.error, busy: recordings === undefined || answer.of !== asked };
}
