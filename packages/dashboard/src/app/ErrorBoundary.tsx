import { messageOf } from '@loopwatch/contract';
import { Component, type ReactNode } from 'react';
import { Button } from '../ui/Button.tsx';
import { Message } from '../ui/Message.tsx';

interface State {
  readonly message: string | undefined;
}

/** Keeps a part that cannot be drawn from taking the rest of the page with it. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, State> {
  override readonly state: State = { message: undefined };

  static getDerivedStateFromError(error: unknown): State {
    return { message: messageOf(error) };
  }

  override render(): ReactNode {
    const { message } = this.state;
    if (message === undefined) return this.props.children;
    return (
      <Message
        title="This part of the page could not be drawn"
        tone="hot"
        action={<Button onClick={() => this.setState({ message: undefined })}>Draw it again</Button>}
      >
        <p>{message}</p>
      </Message>
    );
  }
}
