import { useState } from 'react';
import { prefer, usePreferences } from '../app/preferences.ts';
import { Button } from '../ui/Button.tsx';
import { Icon } from '../ui/icons.tsx';
import { Popover } from '../ui/Popover.tsx';
import styles from './ColumnChooser.module.css';
import { chosenColumns, columns } from './columns.tsx';

/** Which columns there are and in what order; remembered in this browser. */
export function ColumnChooser() {
  const [open, setOpen] = useState(false);
  const chosen = chosenColumns(usePreferences((preferences) => preferences.columns)).map(({ id }) => id);
  const rest = columns.filter(({ id }) => !chosen.includes(id));
  const move = (id: string, step: number) => {
    const at = chosen.indexOf(id);
    const next = chosen.filter((other) => other !== id);
    next.splice(at + step, 0, id);
    prefer({ columns: next });
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
      <ul className={styles['list']}>
        {[...chosen.flatMap((id) => columns.find((column) => column.id === id) ?? []), ...rest].map(
          ({ id, name }) => {
            const at = chosen.indexOf(id);
            return (
              <li key={id}>
                <label>
                  <input
                    type="checkbox"
                    checked={at >= 0}
                    onChange={() =>
                      prefer({ columns: at >= 0 ? chosen.filter((other) => other !== id) : [...chosen, id] })
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
                  aria-label={`${name} further left`}
                >
                  <Icon name="up" size={12} />
                </Button>
                <Button
                  quiet
                  icon
                  small
                  disabled={at < 0 || at === chosen.length - 1}
                  onClick={() => move(id, 1)}
                  aria-label={`${name} further right`}
                >
                  <Icon name="down" size={12} />
                </Button>
              </li>
            );
          },
        )}
      </ul>
      <Button small onClick={() => prefer({ columns: null, widths: {} })}>
        As usual
      </Button>
    </Popover>
  );
}
