import { type ReactNode, useRef, useState } from 'react';
import { errorText } from '../lib/error-text.ts';
import { formatNumber } from '../lib/format.ts';
import { saveFile } from '../lib/save-file.ts';
import { Button } from '../ui/controls/Button.tsx';
import { Menu, MenuItem, MenuLabel } from '../ui/controls/Menu.tsx';
import { toast } from '../ui/feedback/toast-store.ts';
import { Icon } from '../ui/lib/icons.tsx';
import { type CsvColumns, toCsv } from './csv.ts';

interface Props<Item> {
  /** File name without extension. */
  readonly name: string;
  /** What the files contain. */
  readonly contents: string;
  /** How many there are, as text. */
  readonly total: string;
  /** Loads all items and reports progress after each page. */
  readonly read: (onPage: (read: number) => void, signal: AbortSignal) => Promise<Item[]>;
  readonly columns: CsvColumns<Item>;
  /** Menu items for other files. */
  readonly children?: ReactNode;
}

/** Downloads the filtered list as a file, and shows progress. */
export function Download<Item>({ name, contents, total, read, columns, children }: Props<Item>) {
  const [done, setDone] = useState<number>();
  const abort = useRef<AbortController>(undefined);
  const save = async (ending: string, type: string, write: (items: Item[]) => string) => {
    abort.current = new AbortController();
    setDone(0);
    try {
      const items = await read(setDone, abort.current.signal);
      saveFile(`${name}.${ending}`, type, write(items));
    } catch (error) {
      if (!abort.current.signal.aborted) toast(`Download failed: ${errorText(error)}`, { tone: 'hot' });
    } finally {
      setDone(undefined);
    }
  };
  if (done !== undefined) {
    return (
      <Button onClick={() => abort.current?.abort()} title="Stop">
        <Icon name="close" size={13} />
        {formatNumber(done)} of {total}
      </Button>
    );
  }
  return (
    <Menu
      align="end"
      trigger={
        <Button icon aria-label="Download" title="Download">
          <Icon name="download" />
        </Button>
      }
    >
      <MenuLabel>{contents}</MenuLabel>
      <MenuItem
        onSelect={() => void save('json', 'application/json', (items) => JSON.stringify(items, null, 2))}
      >
        As JSON
      </MenuItem>
      <MenuItem onSelect={() => void save('csv', 'text/csv', (items) => toCsv(columns, items))}>
        As CSV
      </MenuItem>
      {children}
    </Menu>
  );
}
