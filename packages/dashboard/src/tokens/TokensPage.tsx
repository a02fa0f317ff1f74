import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { meQuery, useRefusal } from '../api/me.ts';
import { tokensQuery } from '../api/tokens.ts';
import { loadCode } from '../lib/load-code.ts';
import { Page } from '../page/Page.tsx';
import { Button } from '../ui/controls/Button.tsx';
import { Async } from '../ui/feedback/Async.tsx';
import { EmptyState } from '../ui/feedback/EmptyState.tsx';
import { Message } from '../ui/feedback/Message.tsx';
import { Skeleton } from '../ui/feedback/Skeleton.tsx';
import { TokenList } from './TokenList.tsx';

const NewToken = lazy(() => loadCode(() => import('./NewToken.tsx')));

/** Lists created tokens; creates and revokes them. */
export function TokensPage() {
  const query = useQuery(tokensQuery);
  const { data: me } = useQuery(meQuery);
  const isOpen = me?.required === false;
  const refusal = useRefusal();
  const refused = isOpen ? 'This server needs no login, so a token would protect nothing.' : refusal;
  const [creating, setCreating] = useState(false);
  return (
    <Page
      title="Tokens"
      note="one for each program and person"
      actions={
        <Button tone="accent" refused={refused} onClick={() => setCreating(true)}>
          New token
        </Button>
      }
    >
      {isOpen && (
        <p className="text-sm text-warm" role="note">
          This server needs no login: anyone who can reach it may do everything. To use tokens, set{' '}
          <code>LOOPWATCH_API_TOKEN</code> or <code>server.oidc</code> and restart the server.
        </p>
      )}
      <Async query={query} what="the tokens" skeleton={<Skeleton height={180} what="the tokens" />}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState>
              <Message title="No tokens yet">
                Give each program and person a token with a role of its own. You can revoke it without
                affecting the others.
              </Message>
            </EmptyState>
          ) : (
            <TokenList items={items} />
          )
        }
      </Async>
      {creating && (
        <Suspense>
          <NewToken onClose={() => setCreating(false)} />
        </Suspense>
      )}
    </Page>
  );
}
