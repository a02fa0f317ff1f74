interface ImportMetaEnv {
  /** The commit that this page was built from, in its short form; '' where that is not known. */
  readonly VITE_COMMIT?: string;
}
