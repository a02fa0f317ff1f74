import { useEffect, useRef, useState } from 'react';
import { useKeys } from '../lib/keys.ts';
import { Icon } from '../ui/lib/icons.tsx';
import styles from './SessionSearchBox.module.css';

interface Props {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** How long nothing is typed before it is searched for. */
const PAUSE_MS = 250;

/** Words that a session, its agent, model or tenant has in its name. */
export function SessionSearchBox({ value, onChange }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  if (known !== value) {
    setKnown(value);
    setTyped(value);
  }
  useKeys({ search: () => input.current?.focus() });
  const latest = useRef(onChange);
  useEffect(() => {
    latest.current = onChange;
  });
  useEffect(() => {
    if (typed.trim() === value) return;
    const timer = setTimeout(() => latest.current(typed.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, value]);
  return (
    <div className={styles['search']} role="search">
      <Icon name="search" size={14} />
      <input
        ref={input}
        type="search"
        aria-label="Search sessions"
        placeholder="Session, agent, model or tenant"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </div>
  );
}
