interface ImportMetaEnv {
  /** Short hash of the commit this page was built from; '' if unknown. */
  readonly VITE_COMMIT?: string;
}
