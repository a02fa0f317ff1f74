/** What a session's events say of it besides their meaning; each holds until another is said. */
export interface Labels {
  readonly promptId: string | null;
  readonly model: string | null;
  readonly backend: string | null;
  readonly agent: string | null;
  readonly tenant: string | null;
}

type LabelSource = { readonly [K in keyof Labels]?: string | null | undefined } & { readonly type?: string };

/** Shared by the sessions that say nothing of themselves. */
export const NO_LABELS: Labels = Object.freeze({
  promptId: null,
  model: null,
  backend: null,
  agent: null,
  tenant: null,
});

/** The labels after an event: the same object when it says nothing new. */
export function labelsAfter(labels: Labels, source: LabelSource): Labels {
  const promptId = said(source.promptId, source.type === 'prompt_started' ? null : labels.promptId);
  const model = said(source.model, labels.model);
  const backend = said(source.backend, labels.backend);
  const agent = said(source.agent, labels.agent);
  const tenant = said(source.tenant, labels.tenant);
  const isSame =
    promptId === labels.promptId &&
    model === labels.model &&
    backend === labels.backend &&
    agent === labels.agent &&
    tenant === labels.tenant;
  return isSame ? labels : { promptId, model, backend, agent, tenant };
}

function said(value: string | null | undefined, otherwise: string | null): string | null {
  return typeof value === 'string' ? value : otherwise;
}
