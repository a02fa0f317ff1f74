/** What a session's events say of it besides their meaning; each holds until another is said. */
export interface Labels {
  readonly promptId: string | null;
  readonly model: string | null;
  readonly backend: string | null;
  readonly agent: string | null;
  readonly tenant: string | null;
  /** Absent where none was said, as are tags. */
  readonly agentVersion?: string;
  readonly tags?: Tags;
}

type Tags = Readonly<Record<string, string>>;

type LabelSource = { readonly [K in Exclude<keyof Labels, 'tags'>]?: string | null | undefined } & {
  readonly type?: string;
  readonly tags?: Tags | null | undefined;
};

/** Tags of a session that are remembered: the first so many names. */
export const MAX_TAGS = 16;

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
  const agentVersion = said(source.agentVersion, labels.agentVersion ?? null);
  const tags = tagsAfter(labels.tags, source.tags);
  const isSame =
    promptId === labels.promptId &&
    model === labels.model &&
    backend === labels.backend &&
    agent === labels.agent &&
    tenant === labels.tenant &&
    agentVersion === (labels.agentVersion ?? null) &&
    tags === labels.tags;
  if (isSame) return labels;
  return {
    promptId,
    model,
    backend,
    agent,
    tenant,
    ...(agentVersion !== null && { agentVersion }),
    ...(tags !== undefined && { tags }),
  };
}

/** Each tag holds until its name is said again: the same object when nothing new is said. */
function tagsAfter(tags: Tags | undefined, said: Tags | null | undefined): Tags | undefined {
  if (said === null || said === undefined) return tags;
  const known = new Map(Object.entries(tags ?? {}));
  let changed = false;
  for (const [name, value] of Object.entries(said)) {
    if (known.get(name) === value || (!known.has(name) && known.size >= MAX_TAGS)) continue;
    known.set(name, value);
    changed = true;
  }
  return changed ? Object.fromEntries(known) : tags;
}

function said(value: string | null | undefined, otherwise: string | null): string | null {
  return typeof value === 'string' ? value : otherwise;
}
