/** What one check of `loopwatch doctor` found; `advice` says what to do when it is not good. */
export interface Diagnosis {
  readonly ok: boolean;
  readonly what: string;
  readonly advice?: string;
  /** Not good, but everything works: it does not make the command fail. */
  readonly isRisk?: boolean;
}
