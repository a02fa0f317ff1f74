import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { meQuery } from '../api/me.ts';
import { Mark } from '../ui/charts/Ring.tsx';
import { Snippet } from '../ui/controls/Snippet.tsx';
import { Message } from '../ui/feedback/Message.tsx';
import { firstLoop } from './ways.ts';

/** A server that has received nothing: what it is for, and how to begin. */
export function NothingYet({ what }: { readonly what: 'loops' | 'sessions' }) {
  const { data: me } = useQuery(meQuery);
  const command = firstLoop({ origin: window.location.origin, hasLogin: me?.required === true });
  return (
    <Message
      title={`No ${what} yet`}
      picture={<Mark />}
      action={<Link to="/connect">Connect your agents</Link>}
    >
      <p>Loopwatch watches AI agents and reports a loop while it happens.</p>
      <p>
        Send events to POST /api/v1/events or Kafka. This makes a first{' '}
        {what === 'loops' ? 'loop' : 'session, with a loop in it'}:
      </p>
      <Snippet text={command} what="command" />
    </Message>
  );
}
