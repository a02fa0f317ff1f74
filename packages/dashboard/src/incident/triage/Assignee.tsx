import type { IncidentItem } from '@loopwatch/contract/api';
import { type SubmitEvent, useId } from 'react';
import { useMyName } from '../../api/me.ts';
import { useTriage } from '../../incidents/triage.ts';
import { useLive } from '../../live/context.ts';
import { Button } from '../../ui/controls/Button.tsx';

/** The assignee field: any name, or the user's own with one click. */
export function Assignee({ incident }: { readonly incident: IncidentItem }) {
  const { assignee } = incident.triage;
  const triage = useTriage();
  const me = useMyName();
  const live = useLive((state) => state.incidents);
  const list = useId();
  const names = new Set([...live.values()].flatMap((item) => item.triage.assignee ?? []));
  const assign = (name: string | null) => {
    if (name !== assignee)
      triage.change([incident], { assignee: name }, name === null ? 'Unassigned' : `Assigned to ${name}`);
  };
  // Blur saves the field, so submitting only has to blur it.
  const blur = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    event.currentTarget.querySelector('input')?.blur();
  };
  return (
    // The key resets the field when another user changes the assignee.
    <form className="mb-3 flex items-center gap-2 text-sm text-ink2" onSubmit={blur} key={assignee}>
      <label htmlFor={`${list}-name`}>Assignee</label>
      <input
        className="px-2.5 py-1.5 border border-line2 flex-1 min-w-0 rounded-md bg-bg text-ink text-sm"
        id={`${list}-name`}
        list={list}
        maxLength={200}
        placeholder="Unassigned"
        defaultValue={assignee ?? ''}
        autoComplete="off"
        onBlur={(event) => assign(event.currentTarget.value.trim() || null)}
      />
      <datalist id={list}>
        {[...names].map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {me !== undefined && me !== assignee && (
        <Button small quiet onClick={() => assign(me)}>
          Assign to me
        </Button>
      )}
    </form>
  );
}
