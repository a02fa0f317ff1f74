import { Icon } from '../lib/icons.tsx';
import { Button } from './Button.tsx';
import { Menu, MenuItem } from './Menu.tsx';

interface Props {
  /** Labels by sort key. */
  readonly names: Readonly<Record<string, string>>;
  readonly sort: string;
  readonly onChange: (sort: string) => void;
}

/** Chooses the sort order of a list. */
export function SortMenu({ names, sort, onChange }: Props) {
  return (
    <Menu
      align="end"
      trigger={
        <Button>
          {names[sort]}
          <Icon name="down" size={12} />
        </Button>
      }
    >
      {Object.entries(names).map(([id, name]) => (
        <MenuItem
          key={id}
          onSelect={() => onChange(id)}
          note={id === sort && <Icon name="check" size={13} />}
        >
          {name}
        </MenuItem>
      ))}
    </Menu>
  );
}
