import { CopyButton } from './CopyButton.tsx';
import { Message } from './Message.tsx';
import styles from './NothingYet.module.css';
import { Mark } from './Ring.tsx';

/** The same call five times: enough to be noticed with the default settings. */
function sampleCommand(): string {
  const event = {
    sessionId: 'demo',
    agent: 'demo-agent',
    type: 'tool_call_request',
    name: 'read_file',
    args: { path: 'notes.txt' },
  };
  return [
    'for i in 1 2 3 4 5; do',
    `  curl -s ${window.location.origin}/api/v1/events -H 'content-type: application/json' \\`,
    `    -d '${JSON.stringify(event)}'`,
    'done',
  ].join('\n');
}

/** A server that nobody has sent anything to: how to begin. */
export function NothingYet({ what }: { readonly what: 'loops' | 'sessions' }) {
  const command = sampleCommand();
  return (
    <Message title={`No ${what} yet`} picture={<Mark />}>
      <p>
        Send events to POST /api/v1/events or Kafka. This makes a first{' '}
        {what === 'loops' ? 'loop' : 'session, with a loop in it'}:
      </p>
      <pre className={styles['command']} tabIndex={0}>
        {command}
      </pre>
      <CopyButton what="command" text={command} />
    </Message>
  );
}
