import type { SettingSchema } from '@loopwatch/contract/internal';

/**
 * Why settings of a session were rejected: facts, which {@link refusalText} puts into words for those who show them. The
 * library does not, and its bundle has no use for the words.
 */
export type Refusal =
  /** The path of no setting that a session can have. */
  | { readonly path: string }
  /** Invalid values, by dotted path, and what the schema says about them. */
  | {
      readonly values: Readonly<Record<string, unknown>>;
      readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
    }
  /** A chat command without settings. */
  | { readonly verb: string }
  /** A name in a chat command that no setting has. */
  | { readonly name: string }
  /** A value in a chat command that its setting does not allow. */
  | { readonly name: string; readonly given: string; readonly schema: SettingSchema };
