import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { meQuery } from '../api/me.ts';
import { Mark } from '../ui/charts/Mark.tsx';
import { Snippet } from '../ui/controls/Snippet.tsx';
import { Message } from '../ui/feedback/Message.tsx';
import { firstLoopCommand } from './connection-methods.ts';

/** What Loopwatch does and how to send a first event, shown while the server has no data. */
export function NoEventsYet({ what }: { readonly what: 'loops' | 'sessions' }) {
  const { data: me } = useQuery(meQuery);
  const command = firstLoopCommand({ origin: window.location.origin, hasLogin: me?.required === true });
  return (
    <Message
      title={`No ${what} yet`}
      picture={<Mark />}
      action={<Link to="/connect">Connect your agents</Link>}
    >
      <p>Loopwatch watches AI agents and reports loops as they happen.</p>
      <p>
        Send events to POST /api/v1/events or to Kafka. This command creates{' '}
        {what === 'loops' ? 'your first loop' : 'your first session, with a loop'}:
      </p>
      <Snippet text={command} what="command" />
    </Message>
  );
}
