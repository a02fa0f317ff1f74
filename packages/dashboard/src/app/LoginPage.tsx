import type { Me } from '@loopwatch/contract/api';
import { useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { errorText, send } from '../api/client.ts';
import { Button } from '../ui/Button.tsx';
import { Mark } from '../ui/Ring.tsx';
import styles from './LoginPage.module.css';

/** Stands in front of every page until somebody has logged in; the address stays, so that links lead on. */
export default function LoginPage({ methods }: { readonly methods: Me['methods'] }) {
  const client = useQueryClient();
  const [state, setState] = useState<{ busy: boolean; error?: string }>({ busy: false });
  const login = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const token = new FormData(event.currentTarget).get('token');
    setState({ busy: true });
    send('/auth/login', { method: 'POST', body: { token } }).then(
      // The live link was refused without a login, so all begins anew.
      () => window.location.reload(),
      (error: unknown) => {
        setState({ busy: false, error: errorText(error) });
        void client.invalidateQueries({ queryKey: ['me'] });
      },
    );
  };
  return (
    <main className={styles['page']}>
      <div className={styles['box']}>
        <p className={styles['brand']}>
          <Mark /> Loopwatch
        </p>
        <h1>Log in</h1>
        {methods.includes('token') && (
          <form onSubmit={login}>
            <label htmlFor="token">Access token</label>
            <input
              id="token"
              name="token"
              type="password"
              required
              autoFocus
              autoComplete="current-password"
              aria-describedby="token-note"
            />
            <p id="token-note">
              LOOPWATCH_API_TOKEN may change things, LOOPWATCH_VIEWER_TOKEN may look; ask whoever runs the
              server.
            </p>
            {state.error !== undefined && <p role="alert">{state.error}</p>}
            <Button type="submit" tone="accent" disabled={state.busy}>
              {state.busy ? 'Asking…' : 'Log in'}
            </Button>
          </form>
        )}
      </div>
    </main>
  );
}
