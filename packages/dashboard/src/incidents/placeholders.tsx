import { CopyButton } from '../ui/CopyButton.tsx';
import { Message } from '../ui/Message.tsx';
import { Mark } from '../ui/Ring.tsx';
import styles from './placeholders.module.css';

/** The list before there is one, and where there is none. */

export function ListSkeleton() {
  return (
    <div className={styles['skeleton']} role="status">
      <span className="unseen">Connecting…</span>
      {[72, 58, 80, 64, 50, 68].map((width) => (
        <div key={width}>
          <i />
          <b style={{ width: `${String(width)}%` }} />
        </div>
      ))}
    </div>
  );
}

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

export function NothingYet() {
  const command = sampleCommand();
  return (
    <Message title="No loops yet" picture={<Mark />}>
      <p>Send events to POST /api/v1/events or Kafka. This makes a first loop:</p>
      <pre className={styles['command']} tabIndex={0}>
        {command}
      </pre>
      <CopyButton what="command" text={command} />
    </Message>
  );
}
