import styles from './Ignored.module.css';

/** Names the parts of an address that mean nothing to a page. */
export function Ignored({ parts }: { readonly parts: readonly string[] }) {
  if (parts.length === 0) return null;
  return (
    <p className={styles['ignored']} role="note">
      The address says {parts.join(', ')}, which is unknown here; it was ignored.
    </p>
  );
}
