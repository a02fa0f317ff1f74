import type { SessionState as State } from '@loopwatch/contract/api';
import styles from './SessionState.module.css';

const texts: Record<State, string> = { live: 'live', quiet: 'quiet', idle: 'idle', ended: 'ended' };

/** State of a session as icon and word. */
export function SessionState({ state }: { readonly state: State }) {
  return (
    <span className={styles['state']} data-state={state}>
      <i />
      {texts[state]}
    </span>
  );
}
