import type { ApiToken } from '@loopwatch/contract/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useRefusal } from '../api/me.ts';
import { revokeToken, tokensQuery } from '../api/tokens.ts';
import { useCoarseNow } from '../lib/clock.ts';
import { errorText } from '../lib/error-text.ts';
import { formatAge } from '../lib/format.ts';
import { visibleText } from '../lib/visible-text.ts';
import { Button } from '../ui/controls/Button.tsx';
import { toast } from '../ui/feedback/toast-store.ts';
import { Card } from '../ui/layout/Card.tsx';
import { Ago, Clock } from '../ui/layout/Time.tsx';
import { roleTexts } from './roles.ts';

/** All created tokens, with their last use. */
export function TokenList({ items }: { readonly items: readonly ApiToken[] }) {
  return (
    <Card title="Created tokens" note="newest first" flush>
      <ul className="mt-2 grid">
        {items.map((token) => (
          <Token key={token.id} token={token} />
        ))}
      </ul>
    </Card>
  );
}

function Token({
  token: { id, name, role, createdAt, createdBy, lastUsedAt, expiresAt },
}: {
  token: ApiToken;
}) {
  const shown = visibleText(name);
  const refused = useRefusal();
  const client = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => revokeToken(id),
    onSuccess: () => toast(`Revoked ${shown}`),
    onError: (error) => toast(errorText(error), { tone: 'hot' }),
    onSettled: () => client.invalidateQueries(tokensQuery),
  });
  return (
    <li className="px-4 py-3 flex flex-wrap items-center justify-between gap-3 border-t">
      <div className="flex-[1_1_320px] min-w-0 wrap-anywhere">
        <h3 className="text-[length:inherit] font-550">
          {shown}{' '}
          <span className="text-sm font-450 text-ink3" title={roleTexts[role]}>
            {role}
          </span>
        </h3>
        <p className="text-sm text-ink2">
          {lastUsedAt === null ? (
            'Never used'
          ) : (
            <>
              Last used <Ago time={lastUsedAt} />
            </>
          )}
          {' · '}
          <Expiry at={expiresAt} />
          {' · '}
          created <Ago time={createdAt} /> by {visibleText(createdBy)}
        </p>
      </div>
      <Revoke name={shown} refused={refused} busy={revoke.isPending} onRevoke={() => revoke.mutate()} />
    </li>
  );
}

/** Soon enough to replace the token in time. */
const SOON_MS = 7 * 86_400_000;

function Expiry({ at }: { readonly at: number | null }) {
  const now = useCoarseNow();
  if (at === null) return 'never expires';
  if (at <= now)
    return (
      <span className="text-hot">
        expired <Ago time={at} />
      </span>
    );
  if (at - now < SOON_MS) return <span className="text-warm">expires in {formatAge(at - now)}</span>;
  return (
    <>
      expires <Clock time={at} />
    </>
  );
}

interface RevokeProps {
  readonly name: string;
  readonly refused: string | undefined;
  readonly busy: boolean;
  readonly onRevoke: () => void;
}

/** What uses the token stops working at once, so it needs a second click. */
function Revoke({ name, refused, busy, onRevoke }: RevokeProps) {
  const [asking, setAsking] = useState(false);
  if (!asking)
    return (
      <Button small quiet refused={refused} aria-label={`Revoke ${name}`} onClick={() => setAsking(true)}>
        Revoke
      </Button>
    );
  return (
    <Button small tone="hot" autoFocus disabled={busy} onClick={onRevoke} onBlur={() => setAsking(false)}>
      {busy ? 'Revoking…' : `Revoke ${name} now`}
    </Button>
  );
}
