import type { NotificationStatus } from '@loopwatch/contract/api';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useRefusal } from '../api/me.ts';
import { notificationsQuery } from '../api/notifications.ts';
import { loadCode } from '../lib/load-code.ts';
import { Page } from '../page/Page.tsx';
import { Button } from '../ui/controls/Button.tsx';
import { Async } from '../ui/feedback/Async.tsx';
import { Message } from '../ui/feedback/Message.tsx';
import { Skeleton } from '../ui/feedback/Skeleton.tsx';
import { NotificationList } from './NotificationList.tsx';

const NotificationForm = lazy(() => loadCode(() => import('./NotificationForm.tsx')));

/** Lists receivers; adds, edits, tests and removes them. */
export function NotificationsPage() {
  const query = useQuery(notificationsQuery);
  const refused = useRefusal();
  const [open, setOpen] = useState<{ readonly item: NotificationStatus | undefined }>();
  const add = (
    <Button tone="accent" refused={refused} onClick={() => setOpen({ item: undefined })}>
      New receiver
    </Button>
  );
  return (
    <Page title="Notifications" note="messages about incidents" actions={add}>
      <Async query={query} what="the receivers" skeleton={<Skeleton height={180} what="the receivers" />}>
        {({ items }) =>
          items.length === 0 ? (
            <Message title="No receivers yet">
              Send a message to Slack, Teams, Discord, an email address, PagerDuty, a webhook, Langfuse or
              OpenTelemetry when an incident opens, escalates and resolves.
            </Message>
          ) : (
            <NotificationList items={items} onEdit={(item) => setOpen({ item })} />
          )
        }
      </Async>
      {open !== undefined && (
        <Suspense>
          <NotificationForm
            item={open.item}
            taken={query.data?.items.map(({ name }) => name) ?? []}
            onClose={() => setOpen(undefined)}
          />
        </Suspense>
      )}
    </Page>
  );
}
