import type { ErrorComponentProps } from '@tanstack/react-router';
import { Link } from '@tanstack/react-router';
import { errorText } from '../api/client.ts';
import { Button } from '../ui/Button.tsx';
import { Message } from '../ui/Message.tsx';
import { Page } from '../ui/Page.tsx';

/** What stands in a page's place where there is none, or where it could not be drawn. */

export function NotFound() {
  return (
    <Page title="Not found">
      <Message title="This page does not exist" action={<Link to="/incidents">To the incidents</Link>} />
    </Page>
  );
}

export function PageError({ error, reset }: ErrorComponentProps) {
  // A page of an older version asks for files that a newer server does not have.
  const old = /dynamically imported module|Importing a module script failed/.test(errorText(error));
  return (
    <Page title="Something went wrong">
      <Message
        title={old ? 'A newer version is there' : 'This page could not be drawn'}
        tone="hot"
        action={
          <Button onClick={old ? () => window.location.reload() : reset}>
            {old ? 'Load it' : 'Draw it again'}
          </Button>
        }
      >
        <p>{old ? 'The server was updated while this page was open.' : errorText(error)}</p>
      </Message>
    </Page>
  );
}
