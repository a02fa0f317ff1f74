import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { errorText } from '../../lib/error-text.ts';
import { Button } from '../controls/Button.tsx';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { Message } from './Message.tsx';

interface Props<Data> {
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>;
  /** What is read, such as "the settings". */
  readonly what: string;
  readonly skeleton: ReactNode;
  readonly children: (data: Data) => ReactNode;
}

/** What a query brought, or its skeleton, or why there is nothing. Old data stays while new cannot be had. */
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
