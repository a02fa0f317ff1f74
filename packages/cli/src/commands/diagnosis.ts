/** The result of one check of `loopwatch doctor`; `advice` says how to fix a failure. */
export interface Diagnosis {
  readonly ok: boolean;
  readonly what: string;
  readonly advice?: string;
  /** A risk that does not make the command fail. */
  readonly isRisk?: boolean;
}
