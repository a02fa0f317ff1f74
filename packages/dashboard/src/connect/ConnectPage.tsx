import { useQuery } from '@tanstack/react-query';
import { meQuery } from '../api/me.ts';
import { statusQuery } from '../api/status.ts';
import { Page } from '../page/Page.tsx';
import { Snippet } from '../ui/controls/Snippet.tsx';
import { Card } from '../ui/layout/Card.tsx';
import { connectionMethods } from './connection-methods.ts';

/** Instructions for connecting agents to this server. */
export function ConnectPage() {
  const { data: me } = useQuery(meQuery);
  const { data: status } = useQuery({ ...statusQuery, refetchInterval: false });
  const topic = status?.log.topics.find(({ role }) => role === 'events')?.name ?? null;
  const methods = connectionMethods({
    origin: window.location.origin,
    hasLogin: me?.required === true,
    topic,
  });
  return (
    <Page title="Connect your agents">
      <p className="max-w-[76ch] text-ink2">
        Loopwatch watches what AI agents say and which tools they call, and reports loops as they happen:
        repeated calls, repeated text, and steps without progress.
      </p>
      <div className="grid grid-cols-1 gap-4 max-w-225">
        {methods.map(({ id, title, text, command }) => (
          <Card key={id} title={title}>
            <p className="text-ink2">{text}</p>
            <Snippet
              text={command}
              what={id === 'library' || id === 'guard' ? 'code' : 'commands'}
              label={`${title}: commands`}
            />
          </Card>
        ))}
      </div>
    </Page>
  );
}
