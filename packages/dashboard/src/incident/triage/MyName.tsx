import { userNameSchema } from '@loopwatch/contract/api';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { meQuery } from '../../api/me.ts';
import { prefer, usePreferences } from '../../lib/preferences.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { Button } from '../../ui/controls/Button.tsx';

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
      <p className="mt-2 flex items-center justify-between gap-2 text-sm text-ink2">
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
    <form className="my-2 flex items-center gap-2 text-sm text-ink2" onSubmit={save}>
      <input
        className="px-2.5 py-1.5 border border-line2 flex-1 min-w-0 rounded-md bg-bg text-ink text-sm"
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
