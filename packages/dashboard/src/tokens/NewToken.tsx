import { apiTokenPostSchema, type CreatedApiToken, type Role, roles } from '@loopwatch/contract/api';
import { useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useId, useState } from 'react';
import { ApiError } from '../api/client.ts';
import { createToken, tokensQuery } from '../api/tokens.ts';
import { serverNow } from '../lib/clock.ts';
import { errorText } from '../lib/error-text.ts';
import { Button } from '../ui/controls/Button.tsx';
import { Dialog } from '../ui/controls/Dialog.tsx';
import { Snippet } from '../ui/controls/Snippet.tsx';
import { Segments } from '../ui/layout/Segments.tsx';
import { roleTexts } from './roles.ts';

const DAY = 86_400_000;
/** Days until a token expires. */
const terms = [
  { value: '30', text: '30 days' },
  { value: '90', text: '90 days' },
  { value: '365', text: '1 year' },
  { value: '', text: 'Never' },
] as const;
type Term = (typeof terms)[number]['value'];

/** Form for a new token, then the token itself, which is shown only here. */
export default function NewToken({ onClose }: { readonly onClose: () => void }) {
  const [created, setCreated] = useState<CreatedApiToken>();
  return (
    <Dialog title={created === undefined ? 'New token' : `Token for ${created.name}`} wide onClose={onClose}>
      {created === undefined ? (
        <Form onCreated={setCreated} onClose={onClose} />
      ) : (
        <Shown created={created} onClose={onClose} />
      )}
    </Dialog>
  );
}

interface FormProps {
  readonly onCreated: (created: CreatedApiToken) => void;
  readonly onClose: () => void;
}

function Form({ onCreated, onClose }: FormProps) {
  const client = useQueryClient();
  const id = useId();
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('producer');
  const [term, setTerm] = useState<Term>('90');
  const [problem, setProblem] = useState<{ readonly text: string; readonly ofName: boolean }>();
  const [busy, setBusy] = useState(false);
  const create = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const expiresAt = term === '' ? null : serverNow() + Number(term) * DAY;
    const wanted = apiTokenPostSchema.safeParse({ name, role, expiresAt });
    if (!wanted.success) {
      setProblem({ text: 'Enter a name of 1 to 100 characters.', ofName: true });
      return;
    }
    setBusy(true);
    try {
      const created = await createToken(wanted.data);
      void client.invalidateQueries(tokensQuery);
      onCreated(created);
    } catch (error) {
      setProblem({ text: errorText(error), ofName: error instanceof ApiError && error.status === 409 });
      setBusy(false);
    }
  };
  return (
    <form className="grid gap-4 min-w-0" noValidate onSubmit={(event) => void create(event)}>
      <div className="grid content-start gap-0.5 min-w-0">
        <label className="font-500" htmlFor={id}>
          Name
        </label>
        <input
          className="field w-full min-h-8 aria-[invalid=true]:border-hot"
          id={id}
          autoComplete="off"
          placeholder="billing agent"
          value={name}
          aria-invalid={problem?.ofName === true}
          aria-describedby={`${id}-about`}
          onChange={(event) => setName(event.target.value)}
        />
        <small
          className="text-xs text-ink3 data-hot:text-hot"
          id={`${id}-about`}
          data-hot={problem?.ofName === true || undefined}
        >
          {problem?.ofName === true
            ? problem.text
            : 'Who or what uses it. Changes are recorded under this name.'}
        </small>
      </div>
      <div className="grid justify-items-start gap-1">
        <Segments
          label="Role"
          value={role}
          options={roles.map((value) => ({ value, text: value }))}
          onChange={setRole}
        />
        <small className="text-xs text-ink3">{roleTexts[role]}</small>
      </div>
      <div className="grid justify-items-start gap-1">
        <Segments label="Expires" value={term} options={terms} onChange={setTerm} />
        <small className="text-xs text-ink3">
          {term === '' ? 'Until you revoke it.' : 'Refused after this time.'}
        </small>
      </div>
      {problem !== undefined && !problem.ofName && (
        <p className="text-hot" role="alert">
          {problem.text}
        </p>
      )}
      <div className="flex gap-2">
        <Button type="submit" tone="accent" disabled={busy}>
          {busy ? 'Creating…' : 'Create token'}
        </Button>
        <Button quiet onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

function Shown({ created: { token, role }, onClose }: { created: CreatedApiToken; onClose: () => void }) {
  return (
    <div className="min-w-0">
      <p role="status">
        Copy the token now: it is not shown again, and the server stores only a hash of it. {roleTexts[role]}
      </p>
      <Snippet text={token} what="token" label="Token" />
      <div className="mt-4">
        <Button tone="accent" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  );
}
