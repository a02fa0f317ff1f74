import { useEffect, useState } from 'react';
import { isServerThere, reloadForCode } from '../../lib/load-code.ts';
import { Button } from '../controls/Button.tsx';
import { Message } from './Message.tsx';

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 5_000;

/** Replaces a page whose code could not be loaded; reloads once the server responds. */
export function CodeUnavailable() {
  const [isThere, setThere] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    let isOver = false;
    const look = async (pause: number) => {
      const found = await isServerThere();
      if (isOver) return;
      // After a reload that did not help, only the user retries.
      if (found && !reloadForCode()) setThere(true);
      if (!found) timer = setTimeout(() => void look(Math.min(MAX_PAUSE_MS, pause * 2)), pause);
    };
    void look(FIRST_PAUSE_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, []);
  return (
    <Message
      title={isThere ? 'The code of this page is missing' : 'The server is unavailable'}
      tone="hot"
      action={<Button onClick={() => window.location.reload()}>Reload</Button>}
    >
      <p>
        {isThere
          ? 'The server does not have it; an upgrade may be in progress.'
          : 'This page loads as soon as the server responds.'}
      </p>
    </Message>
  );
}
