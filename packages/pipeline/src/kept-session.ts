import type { SessionSnapshot } from '@loopwatch/detectors';
import type { SessionMarks } from './session-marks.ts';

/** A session's state as it is kept beside the log. */
export interface KeptSession {
  readonly sessionId: string;
  /** Offset of the last record that the snapshot knows of. */
  readonly coveredTo: number;
  /** As the session's analyzer made it. */
  readonly snapshot: SessionSnapshot;
  /** What its summaries need. */
  readonly marks: Readonly<SessionMarks>;
}
