/** Names the parts of the URL that a page does not know. */
export function UnknownParams({ parts }: { readonly parts: readonly string[] }) {
  if (parts.length === 0) return null;
  return (
    <p className="text-sm text-warm" role="note">
      Ignored unknown URL parameters: {parts.join(', ')}
    </p>
  );
}
