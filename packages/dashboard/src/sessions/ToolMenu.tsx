import { useKnownNames } from '../api/known-names.ts';
import { visibleText } from '../lib/visible-text.ts';
import { Button } from '../ui/controls/Button.tsx';
import { Menu, MenuCheck, MenuLabel } from '../ui/controls/Menu.tsx';
import { Icon } from '../ui/lib/icons.tsx';

interface Props {
  readonly chosen: readonly string[];
  readonly onChange: (tools: readonly string[]) => void;
}

/** Filters sessions by the tools of their loops. */
export function ToolMenu({ chosen, onChange }: Props) {
  const names = [...new Set([...chosen, ...useKnownNames('tool')])].sort();
  return (
    <Menu
      trigger={
        <Button>
          Tool
          <Icon name="down" size={12} />
        </Button>
      }
    >
      <MenuLabel>
        {names.length === 0 ? 'No loops involve a tool yet' : 'Sessions with loops that involve this tool'}
      </MenuLabel>
      {names.map((name) => (
        <MenuCheck
          key={name}
          checked={chosen.includes(name)}
          onChange={() =>
            onChange(chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name])
          }
        >
          {visibleText(name)}
        </MenuCheck>
      ))}
    </Menu>
  );
}
