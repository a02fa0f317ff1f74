import { useState } from 'react';
import { type ListName, preferForList, usePreferences } from '../lib/preferences.ts';
import { Button } from '../ui/controls/Button.tsx';
import { Popover } from '../ui/controls/Popover.tsx';
import { Icon } from '../ui/lib/icons.tsx';
import { type Columns, chosenColumns } from './column.ts';

interface Props<Item> {
  readonly list: ListName;
  readonly columns: Columns<Item>;
}

/** Chooses columns and their order; stored in this browser. */
export function ColumnChooser<Item>({ list, columns }: Props<Item>) {
  const [open, setOpen] = useState(false);
  const shown = chosenColumns(
    columns,
    usePreferences((preferences) => preferences[list].columns),
  );
  const chosen = shown.map(({ id }) => id);
  const rest = columns.all.filter(({ id }) => !chosen.includes(id));
  const move = (id: string, step: number) => {
    const at = chosen.indexOf(id);
    const next = chosen.filter((other) => other !== id);
    next.splice(at + step, 0, id);
    preferForList(list, { columns: next });
  };
  return (
    <Popover
      label="Columns"
      open={open}
      onOpen={setOpen}
      trigger={
        <Button icon aria-label="Columns" title="Columns">
          <Icon name="columns" />
        </Button>
      }
    >
      <ul className="mb-2 grid gap-0.5 min-w-52.5">
        {[...shown, ...rest].map(({ id, name }) => {
          const at = chosen.indexOf(id);
          return (
            <li className="flex items-center" key={id}>
              <label className="flex items-center gap-2 flex-1 min-h-7">
                <input
                  className="accent-accent"
                  type="checkbox"
                  checked={at >= 0}
                  onChange={() =>
                    preferForList(list, {
                      columns: at >= 0 ? chosen.filter((other) => other !== id) : [...chosen, id],
                    })
                  }
                />
                {name}
              </label>
              <Button
                quiet
                icon
                small
                disabled={at <= 0}
                onClick={() => move(id, -1)}
                aria-label={`Move ${name} left`}
              >
                <Icon name="up" size={12} />
              </Button>
              <Button
                quiet
                icon
                small
                disabled={at < 0 || at === chosen.length - 1}
                onClick={() => move(id, 1)}
                aria-label={`Move ${name} right`}
              >
                <Icon name="down" size={12} />
              </Button>
            </li>
          );
        })}
      </ul>
      <Button small onClick={() => preferForList(list, { columns: null, widths: {} })}>
        Reset to default
      </Button>
    </Popover>
  );
}
