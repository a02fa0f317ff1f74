import type { Incident } from '@loopwatch/contract';
import { useCallback, useEffect, useState } from 'react';

export type Loaded =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly incident: Incident }
  | { readonly state: 'missing' }
  | { readonly state: 'failed'; readonly message: string };

interface Answer {
  readonly id: string;
  readonly loaded: Loaded;
}

/** One incident with its evidence; read again when `revision` says that there is more to know. */
export function useIncident(id: string, revision: number | undefined): [Loaded, () => void] {
  const [answer, setAnswer] = useState<Answer>();
  const [attempt, setAttempt] = useState(0);

  useEffect(() => {
    const abort = new AbortController();
    fetchIncident(id, abort.signal).then(
      (loaded) => setAnswer({ id, loaded }),
      (error: unknown) => {
        if (abort.signal.aborted) return;
        setAnswer({ id, loaded: { state: 'failed', message: sentence(error) } });
      },
    );
    return () => abort.abort();
  }, [id, revision, attempt]);

  const retry = useCallback(() => {
    setAnswer(undefined);
    setAttempt((count) => count + 1);
  }, []);
  return [answer?.id === id ? answer.loaded : { state: 'loading' }, retry];
}

async function fetchIncident(id: string, signal: AbortSignal): Promise<Loaded> {
  const response = await fetch(`/api/v1/incidents/${encodeURIComponent(id)}`, { signal });
  if (response.status === 404) return { state: 'missing' };
  if (!response.ok) throw new Error(`the server answered ${String(response.status)}`);
  return { state: 'ready', incident: (await response.json()) as Incident };
}

function sentence(error: unknown): string {
  return `The incident could not be read: ${error instanceof Error ? error.message : String(error)}.`;
}
