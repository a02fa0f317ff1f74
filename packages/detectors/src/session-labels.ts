/** What a session's events say of it besides their meaning; each holds until another is said. */
export interface Labels {
  readonly promptId: string | null;
  readonly model: string | null;
  readonly backend: string | null;
  readonly agent: string | null;
  readonly tenant: string | null;
}

type LabelSource = { readonly [K in keyof Labels]?: string | null | undefined } & { readonly type?: string };

export class SessionLabels {
  private promptId: string | null = null;
  private model: string | null = null;
  private backend: string | null = null;
  private agent: string | null = null;
  private tenant: string | null = null;

  note(source: LabelSource): void {
    if (source.type === 'prompt_started') this.promptId = null;
    if (typeof source.promptId === 'string') this.promptId = source.promptId;
    if (typeof source.model === 'string') this.model = source.model;
    if (typeof source.backend === 'string') this.backend = source.backend;
    if (typeof source.agent === 'string') this.agent = source.agent;
    if (typeof source.tenant === 'string') this.tenant = source.tenant;
  }

  values(): Labels {
    const { promptId, model, backend, agent, tenant } = this;
    return { promptId, model, backend, agent, tenant };
  }

  clear(): void {
    this.promptId = null;
    this.model = null;
    this.backend = null;
    this.agent = null;
    this.tenant = null;
  }
}
