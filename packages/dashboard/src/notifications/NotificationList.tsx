import type { NotificationStatus } from '@loopwatch/contract/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useRefusal } from '../api/me.ts';
import { deleteNotification, notificationsQuery, testNotification } from '../api/notifications.ts';
import { errorText } from '../lib/error-text.ts';
import { formatNumber, plural } from '../lib/format.ts';
import { Button } from '../ui/controls/Button.tsx';
import { toast } from '../ui/feedback/toast-store.ts';
import { Card } from '../ui/layout/Card.tsx';
import { Ago } from '../ui/layout/Time.tsx';
import { describeRules } from './describe-rules.ts';

interface Props {
  readonly items: readonly NotificationStatus[];
  /** Called to edit a receiver that was set up on this page. */
  readonly onEdit: (item: NotificationStatus) => void;
}

/** All receivers with their delivery state. */
export function NotificationList({ items, onEdit }: Props) {
  return (
    <Card title="Receivers" flush>
      <ul className="mt-2 grid">
        {items.map((item) => (
          <Receiver key={item.name} item={item} onEdit={() => onEdit(item)} />
        ))}
      </ul>
    </Card>
  );
}

function Receiver({ item, onEdit }: { readonly item: NotificationStatus; readonly onEdit: () => void }) {
  const { name, type, target, origin, failingSince, error } = item;
  const refused = useRefusal();
  const client = useQueryClient();
  const onSettled = () => client.invalidateQueries(notificationsQuery);
  const onError = (fault: unknown) => toast(errorText(fault), { tone: 'hot' });
  const test = useMutation({
    mutationFn: () => testNotification(name),
    onSuccess: () => toast(`Test message to ${name} delivered`),
    onError,
    onSettled,
  });
  const remove = useMutation({
    mutationFn: () => deleteNotification(name),
    onSuccess: () => toast(`Removed ${name}`),
    onError,
    onSettled,
  });
  return (
    <li className="px-4 py-3 flex flex-wrap items-center justify-between gap-3 border-t">
      <div className="flex-[1_1_320px] min-w-0 wrap-anywhere">
        <h3 className="text-[length:inherit] font-550">{name}</h3>
        <p className="text-ink2">
          {type} to {target}: {describeRules(item)}
        </p>
        <p className="text-ink2 data-failing:text-hot" data-failing={failingSince !== null || undefined}>
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
      {origin === 'page' ? (
        <>
          <Button small refused={refused} aria-label={`Edit ${name}`} onClick={onEdit}>
            Edit
          </Button>
          <Remove name={name} refused={refused} onRemove={() => remove.mutate()} />
        </>
      ) : (
        <p className="text-ink2">set in the configuration file</p>
      )}
    </li>
  );
}

/** Removing drops waiting messages too, so it needs a second click. */
function Remove({
  name,
  refused,
  onRemove,
}: {
  readonly name: string;
  readonly refused: string | undefined;
  readonly onRemove: () => void;
}) {
  const [asking, setAsking] = useState(false);
  if (!asking)
    return (
      <Button small quiet refused={refused} aria-label={`Remove ${name}`} onClick={() => setAsking(true)}>
        Remove
      </Button>
    );
  return (
    <Button small tone="hot" autoFocus onClick={onRemove} onBlur={() => setAsking(false)}>
      Remove {name} and its waiting messages
    </Button>
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
    ...(failed > 0 ? [`${formatNumber(failed)} failed`] : []),
  ].join(' · ');
}
