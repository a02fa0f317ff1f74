import { userNameSchema } from '@loopwatch/contract/api';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { meQuery } from '../../api/me.ts';
import { prefer, usePreferences } from '../../lib/preferences.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { Button } from '../../ui/controls/Button.tsx';
import styles from './TriageCard.module.css';

/** Lets users who share a login set a display name, which is stored in this browser. */
export function MyName() {
  const { data: me } = useQuery(meQuery);
  const client = useQueryClient();
  const name = usePreferences((preferences) => preferences.name);
  const [editing, setEditing] = useState(false);
  if (me?.shared !== true || me.user?.role !== 'operator') return null;
  const save = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget).get('name');
    prefer({ name: userNameSchema.safeParse(given).data ?? null });
    setEditing(false);
    void client.invalidateQueries({ queryKey: meQuery.queryKey });
  };
  if (!editing) {
    return (
      <p className={styles['me']}>
        <span>
          Commenting as <b>{visibleText(me.user.name)}</b>
        </span>
        <Button small quiet onClick={() => setEditing(true)}>
          {name === null ? 'Set your name' : 'Change your name'}
        </Button>
      </p>
    );
  }
  return (
    <form className={styles['assignee']} onSubmit={save}>
      <input
        name="name"
        ref={(input) => input?.focus()}
        maxLength={200}
        aria-label="Your name"
        placeholder="Your name"
        defaultValue={name ?? ''}
        autoComplete="name"
      />
      <Button type="submit" small>
        Save
      </Button>
    </form>
  );
}
