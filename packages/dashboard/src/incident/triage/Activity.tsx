import type { IncidentDetail, TriageChange, TriageState } from '@loopwatch/contract/api';
import { useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, use, useState } from 'react';
import { deleteComment, patchIncidents } from '../../api/incidents.ts';
import { useMyName, useRefusal } from '../../api/me.ts';
import { showChanged, triageNames } from '../../incidents/triage.ts';
import { errorText } from '../../lib/error-text.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { LiveContext } from '../../live/context.ts';
import { Button } from '../../ui/controls/Button.tsx';
import { toast } from '../../ui/feedback/toast-store.ts';
import { Ago } from '../../ui/layout/Time.tsx';
import { MyName } from './MyName.tsx';

/** Comments and the triage history, newest first. */
export function Activity({ incident }: { readonly incident: IncidentDetail }) {
  const { id, triageHistory } = incident;
  const me = useMyName();
  const refusal = useRefusal();
  const client = useQueryClient();
  const { store } = use(LiveContext);
  const comment = async (text: string) => {
    const { items } = await patchIncidents([id], { comment: text });
    showChanged(client, store, items);
  };
  const remove = async ({ revision = 0 }: TriageChange) => {
    try {
      await deleteComment(id, revision);
      await client.invalidateQueries({ queryKey: ['incidents', 'one', id] });
    } catch (error) {
      toast(`Could not delete the comment: ${errorText(error)}`, { tone: 'hot' });
    }
  };
  return (
    <>
      {refusal === undefined && <CommentForm onComment={comment} />}
      <MyName />
      {triageHistory.length > 0 && (
        <ol className="mt-3 grid gap-1.25 text-sm">
          {triageHistory.toReversed().map((change) => (
            <li
              className="flex flex-wrap justify-between gap-x-3 gap-y-1 text-ink2"
              key={change.revision ?? `${String(change.at)} ${change.to.status}`}
            >
              <span className="min-w-0 wrap-anywhere">{changeText(change)}</span>
              <small className="text-ink3 whitespace-nowrap">
                {visibleText(change.by)}, <Ago time={change.at} />
              </small>
              {change.comment !== undefined && (
                <blockquote className="px-2.5 py-1.5 flex flex-[1_0_100%] items-start justify-between gap-2 min-w-0 rounded-md bg-bg text-ink whitespace-pre-wrap wrap-anywhere">
                  {visibleText(change.comment)}
                  {change.by === me && refusal === undefined && (
                    <Button small quiet onClick={() => void remove(change)}>
                      Delete
                    </Button>
                  )}
                </blockquote>
              )}
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

function CommentForm({ onComment }: { readonly onComment: (text: string) => Promise<void> }) {
  const [text, setText] = useState('');
  const [sending, setSending] = useState(false);
  const send = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setSending(true);
    try {
      await onComment(text.trim());
      setText('');
    } catch (error) {
      toast(`Could not save the comment: ${errorText(error)}`, { tone: 'hot' });
    } finally {
      setSending(false);
    }
  };
  return (
    <form className="grid justify-items-start gap-2" onSubmit={(event) => void send(event)}>
      <textarea
        className="px-2.5 py-1.5 border border-line2 rounded-md bg-bg text-ink text-sm w-full resize-y"
        rows={2}
        maxLength={4000}
        aria-label="Comment"
        placeholder="Add a comment"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {text.trim() !== '' && (
        <Button type="submit" small disabled={sending}>
          Comment
        </Button>
      )}
    </form>
  );
}

function changeText({ from, to, comment }: TriageChange): string {
  const parts = [statusText(from, to), assigneeText(from, to), noteText(from, to)].filter(
    (part) => part !== '',
  );
  if (parts.length > 0) return parts.join(', ');
  return comment === undefined ? 'mute duration changed' : 'commented';
}

function statusText(from: TriageState, to: TriageState): string {
  return from.status === to.status ? '' : `${triageNames[from.status]} → ${triageNames[to.status]}`;
}

function assigneeText(from: TriageState, to: TriageState): string {
  if (from.assignee === to.assignee) return '';
  return to.assignee === null ? 'unassigned' : `assigned to ${visibleText(to.assignee)}`;
}

function noteText(from: TriageState, to: TriageState): string {
  if (from.note === to.note) return '';
  return to.note === null ? 'note removed' : `note: “${visibleText(to.note.slice(0, 80))}”`;
}
