import type { IncidentItem } from '@loopwatch/contract/api';
import { useRef, useState } from 'react';
import { apiPath, errorText } from '../api/client.ts';
import { allIncidents, type IncidentQuery } from '../api/incidents.ts';
import { Button } from '../ui/Button.tsx';
import { formatNumber } from '../ui/format.ts';
import { Icon } from '../ui/icons.tsx';
import { Menu, MenuItem, MenuLabel, MenuLine } from '../ui/Menu.tsx';
import { saveFile } from '../ui/save-file.ts';
import { toast } from '../ui/toasts.ts';
import { toCsv } from './csv.ts';

/** The filtered set as a file, and the labelled sessions as an eval set. Says what the files contain. */
export function Download({ view, total }: { readonly view: IncidentQuery; readonly total: number }) {
  const [read, setRead] = useState<number>();
  const abort = useRef<AbortController>(undefined);
  const save = async (name: string, type: string, write: (items: IncidentItem[]) => string) => {
    abort.current = new AbortController();
    setRead(0);
    try {
      const items = await allIncidents(view, setRead, abort.current.signal);
      saveFile(name, type, write(items));
    } catch (error) {
      if (!abort.current.signal.aborted) toast(`No file: ${errorText(error)}`, { tone: 'hot' });
    } finally {
      setRead(undefined);
    }
  };
  if (read !== undefined) {
    return (
      <Button onClick={() => abort.current?.abort()} title="Stop">
        <Icon name="close" size={13} />
        {formatNumber(read)} of {formatNumber(total)}
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
      <MenuLabel>{formatNumber(total)} incidents, with reasons and notes, without evidence</MenuLabel>
      <MenuItem
        onSelect={() =>
          void save('incidents.json', 'application/json', (items) => JSON.stringify(items, null, 2))
        }
      >
        As JSON
      </MenuItem>
      <MenuItem onSelect={() => void save('incidents.csv', 'text/csv', toCsv)}>As CSV</MenuItem>
      <MenuLine />
      <MenuLabel>Judged sessions as an eval set, for npm run eval</MenuLabel>
      <MenuItem onSelect={() => window.location.assign(apiPath('/exports/labels.jsonl'))}>
        Labels: session and verdict
      </MenuItem>
      <MenuItem onSelect={() => window.location.assign(apiPath('/exports/events.jsonl'))}>
        Their events, texts included
      </MenuItem>
    </Menu>
  );
}
