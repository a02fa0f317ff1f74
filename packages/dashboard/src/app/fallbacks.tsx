import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { errorText } from '../lib/error-text.ts';
import { CodeError } from '../lib/load-code.ts';
import { Page } from '../page/Page.tsx';
import { Button } from '../ui/controls/Button.tsx';
import { CodeUnavailable } from '../ui/feedback/CodeUnavailable.tsx';
import { Message } from '../ui/feedback/Message.tsx';

/** Pages for unknown URLs and failed pages. */

export function NotFound() {
  return (
    <Page title="Not found">
      <Message title="This page does not exist" action={<Link to="/incidents">Go to incidents</Link>} />
    </Page>
  );
}

export function PageError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  if (error instanceof CodeError) {
    return (
      <Page title="Could not load this page">
        <CodeUnavailable />
      </Page>
    );
  }
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return (
    <Page title="Something went wrong">
      <Message title="Could not show this page" tone="hot" action={<Button onClick={retry}>Retry</Button>}>
        <p>{errorText(error)}</p>
      </Message>
    </Page>
  );
}
