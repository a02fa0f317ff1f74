import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { errorText } from '../../lib/error-text.ts';
import { Button } from '../controls/Button.tsx';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { Message } from './Message.tsx';

interface Props<Data> {
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>;
  /** What is loaded, such as "the settings". */
  readonly what: string;
  readonly skeleton: ReactNode;
  readonly children: (data: Data) => ReactNode;
}

/** A query's data, its skeleton, or its error. Old data stays if a reload fails. */
export function Async<Data>({ query: { data, error, refetch }, what, skeleton, children }: Props<Data>) {
  if (data !== undefined) return <ErrorBoundary>{children(data)}</ErrorBoundary>;
  if (error === null) return skeleton;
  return (
    <Message
      title={`Could not load ${what}`}
      tone="hot"
      action={<Button onClick={() => void refetch()}>Retry</Button>}
    >
      <p>{errorText(error)}</p>
    </Message>
  );
}
