import { useNavigate } from '@tanstack/react-router';
import { type SubmitEvent, useState } from 'react';
import { type ListName, preferForList, usePreferences } from '../lib/preferences.ts';
import { parseSearch, type Search, writeSearch } from '../lib/search.ts';
import { Button } from '../ui/controls/Button.tsx';
import { Popover } from '../ui/controls/Popover.tsx';
import { Icon } from '../ui/lib/icons.tsx';

interface Props {
  readonly list: ListName;
  /** Search params of the list. */
  readonly search: Search;
}

/** Named filters, stored in this browser. */
export function SavedViews({ list, search }: Props) {
  const [open, setOpen] = useState(false);
  const views = usePreferences((preferences) => preferences[list].views);
  const navigate = useNavigate();
  const here = writeSearch(search).slice(1);
  const save = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget).get('name');
    const name = typeof given === 'string' ? given.trim() : '';
    if (name === '') return;
    preferForList(list, { views: [...views.filter((view) => view.name !== name), { name, search: here }] });
    event.currentTarget.reset();
  };
  return (
    <Popover
      label="Saved views"
      open={open}
      onOpen={setOpen}
      trigger={
        <Button icon aria-label="Saved views" title="Saved views">
          <Icon name="star" />
        </Button>
      }
    >
      <div className="grid grid-cols-1 gap-0.5 w-62.5 [&_form>button]:flex-none [&>div>button]:first:px-2 [&>div>button]:first:py-1 [&>div>button]:first:flex-1 [&>div>button]:first:rounded-[6px] [&>div>button]:first:text-left [&>div>button]:aria-[current]:bg-raise [&>div>button]:first:hover:bg-raise">
        {views.length === 0 && <p className="px-1 pt-0.5 pb-1.5 text-ink2">No saved views yet.</p>}
        {views.map((view) => (
          <div className="flex items-center" key={view.name}>
            <button
              type="button"
              className="truncate"
              aria-current={view.search === here || undefined}
              onClick={() => {
                setOpen(false);
                void navigate({ to: `/${list}`, search: parseSearch(view.search) });
              }}
            >
              {view.name}
            </button>
            <Button
              quiet
              icon
              small
              aria-label={`Delete view ${view.name}`}
              onClick={() => preferForList(list, { views: views.filter((other) => other !== view) })}
            >
              <Icon name="close" size={12} />
            </Button>
          </div>
        ))}
        <form className="mt-2 flex gap-2" onSubmit={save}>
          <input
            name="name"
            className="field flex-1"
            required
            maxLength={60}
            aria-label="View name"
            placeholder="View name"
          />
          <Button type="submit">Save</Button>
        </form>
      </div>
    </Popover>
  );
}
