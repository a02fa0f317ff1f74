import { messageOf } from '@loopwatch/contract';
import { Component, type ReactNode } from 'react';
import { CodeError } from '../../lib/load-code.ts';
import { Button } from '../controls/Button.tsx';
import { CodeUnavailable } from './CodeUnavailable.tsx';
import { Message } from './Message.tsx';

interface State {
  readonly error: { readonly value: unknown } | undefined;
}

/** Shows an error in place of a part that fails to render; the rest of the page stays. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, State> {
  override readonly state: State = { error: undefined };

  static getDerivedStateFromError(error: unknown): State {
    return { error: { value: error } };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    if (error.value instanceof CodeError) return <CodeUnavailable />;
    return (
      <Message
        title="Could not show this part of the page"
        tone="hot"
        action={<Button onClick={() => this.setState({ error: undefined })}>Retry</Button>}
      >
        <p>{messageOf(error.value)}</p>
      </Message>
    );
  }
}
