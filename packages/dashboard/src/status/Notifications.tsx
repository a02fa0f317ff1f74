import type { NotificationStatus } from '@loopwatch/contract/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useRefusal } from '../api/me.ts';
import { testNotification } from '../api/notifications.ts';
import { statusQuery } from '../api/status.ts';
import { errorText } from '../lib/error-text.ts';
import { formatNumber, plural } from '../lib/format.ts';
import { Button } from '../ui/controls/Button.tsx';
import { Snippet } from '../ui/controls/Snippet.tsx';
import { toast } from '../ui/feedback/toast-store.ts';
import { Card } from '../ui/layout/Card.tsx';
import { Segments } from '../ui/layout/Segments.tsx';
import { Ago } from '../ui/layout/Time.tsx';
import styles from './Notifications.module.css';
import { notificationExamples } from './notification-examples.ts';
import { rulesInWords } from './notification-rules.ts';

/** Where messages about incidents go, and how delivery stands. */
export function Notifications({ items }: { readonly items: readonly NotificationStatus[] }) {
  if (items.length === 0) return <NoneYet />;
  return (
    <Card title="Notifications" note="messages about incidents" flush>
      <ul className={styles['list']}>
        {items.map((item) => (
          <Notification key={item.name} item={item} />
        ))}
      </ul>
    </Card>
  );
}

function Notification({ item }: { readonly item: NotificationStatus }) {
  const { name, type, target, failingSince, error } = item;
  const refused = useRefusal();
  const client = useQueryClient();
  const test = useMutation({
    mutationFn: () => testNotification(name),
    onSuccess: () => toast(`Test message to ${name} delivered`),
    onError: (fault) => toast(errorText(fault), { tone: 'hot' }),
    onSettled: () => client.invalidateQueries(statusQuery),
  });
  return (
    <li className={styles['item']}>
      <div className={styles['what']}>
        <h3>{name}</h3>
        <p>
          {type} to {target}: {rulesInWords(item)}
        </p>
        <p className={styles['state']} data-failing={failingSince !== null || undefined}>
          {failingSince === null ? (
            delivered(item)
          ) : (
            <>
              Failing since <Ago time={failingSince} />: {error}
            </>
          )}
          {counts(item)}
        </p>
      </div>
      <Button
        small
        refused={refused}
        disabled={test.isPending}
        aria-label={`Send test message to ${name}`}
        onClick={() => test.mutate()}
      >
        {test.isPending ? 'Sending…' : 'Send test message'}
      </Button>
    </li>
  );
}

function delivered({ lastSentAt }: NotificationStatus): ReactNode {
  return lastSentAt === null ? (
    'Nothing sent yet'
  ) : (
    <>
      Last delivery <Ago time={lastSentAt} />
    </>
  );
}

function counts({ sent, waiting, failed }: NotificationStatus): string {
  return [
    '',
    ...(sent > 0 ? [plural(sent, 'message')] : []),
    ...(waiting > 0 ? [`${formatNumber(waiting)} waiting`] : []),
    ...(failed > 0 ? [`${formatNumber(failed)} not delivered`] : []),
  ].join(' · ');
}

function NoneYet() {
  const [type, setType] = useState<string>(notificationExamples[0].type);
  const example = notificationExamples.find((one) => one.type === type) ?? notificationExamples[0];
  return (
    <Card title="Notifications" note="none configured">
      <p className={styles['hint']}>
        Be told of loops where you look already. Add this to the configuration and restart the server;{' '}
        <code>loopwatch notify test NAME</code> sends a test message.
      </p>
      <div className={styles['types']}>
        <Segments
          label="Type of notification"
          value={type}
          options={notificationExamples.map(({ type: value, title }) => ({ value, text: title }))}
          onChange={setType}
        />
      </div>
      <Snippet text={example.yaml} what="configuration" label={`${example.title}: configuration`} />
    </Card>
  );
}
