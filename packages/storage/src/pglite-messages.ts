/** The messages to and from the embedded database's thread. */

export interface ThreadData {
  readonly folder: string;
}

export type Request =
  | { readonly kind: 'open' | 'close' }
  | {
      readonly kind: 'query';
      readonly sql: string;
      readonly parameters: readonly unknown[];
      /** Absent for a query outside a transaction. */
      readonly transaction?: number;
    }
  | { readonly kind: 'begin' | 'commit' | 'rollback'; readonly transaction: number }
  | { readonly kind: 'listen' | 'unlisten'; readonly channel: string };

export interface Rows {
  readonly rows: Record<string, unknown>[];
  /** Names of the columns whose values are unparsed JSON text. */
  readonly json: readonly string[];
}

export type Reply =
  | { readonly kind: 'answer'; readonly id: number; readonly result: Rows | undefined }
  | {
      readonly kind: 'failure';
      readonly id: number;
      readonly error: unknown /** SQLSTATE. */;
      readonly code: string | null;
    }
  | { readonly kind: 'notice'; readonly channel: string; readonly payload: string };
