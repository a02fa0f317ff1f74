/** What a guard has done, sub-agents included. */
export interface GuardStats {
  /** Calls that it was asked about. */
  calls: number;
  /** Of them, those that it denied. */
  denied: number;
  /** Faults of its own; each time, the tool ran as if there were no guard. */
  faults: number;
  /** Events that the server has accepted. */
  reported: number;
  /** Events that the server never got: it was away for too long, or refused them. */
  dropped: number;
}
