import { apiPath } from '../api/client.ts';
import { allIncidents, type IncidentQuery } from '../api/incidents.ts';
import { Download } from '../list/Download.tsx';
import { MenuItem, MenuLabel, MenuLine } from '../ui/controls/Menu.tsx';
import { csvColumns } from './csv-columns.ts';

/** Downloads the filtered incidents, and triaged sessions as an evaluation set. */
export function IncidentDownload({ view, total }: { readonly view: IncidentQuery; readonly total: string }) {
  return (
    <Download
      name="incidents"
      contents={`${total} incidents, with reasons and notes, without evidence`}
      total={total}
      read={(onPage, signal) => allIncidents(view, onPage, signal)}
      columns={csvColumns}
    >
      <MenuLine />
      <MenuLabel>Triaged sessions as an evaluation set (npm run eval)</MenuLabel>
      <MenuItem onSelect={() => window.location.assign(apiPath('/exports/labels.jsonl'))}>
        Labels (session and verdict)
      </MenuItem>
      <MenuItem onSelect={() => window.location.assign(apiPath('/exports/events.jsonl'))}>
        Events, including texts
      </MenuItem>
    </Download>
  );
}
