import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { type LiveAccess, LiveContext } from '../live/context.ts';
import type { createAppRouter } from './router.tsx';

interface Props {
  readonly client: QueryClient;
  readonly router: ReturnType<typeof createAppRouter>;
  readonly live: LiveAccess;
}

export function App({ client, router, live }: Props) {
  return (
    <StrictMode>
      <QueryClientProvider client={client}>
        <LiveContext value={live}>
          <RouterProvider router={router} />
        </LiveContext>
      </QueryClientProvider>
    </StrictMode>
  );
}
