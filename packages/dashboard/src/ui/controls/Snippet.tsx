import { CopyButton } from './CopyButton.tsx';

interface SnippetProps {
  readonly text: string;
  /** What is copied: "commands". */
  readonly what: string;
  /** Accessible name, if the page has several snippets. */
  readonly label?: string;
}

/** A text to copy, such as commands or a configuration. */
export function Snippet({ text, what, label }: SnippetProps) {
  return (
    <>
      <pre
        className="px-4 py-3 mt-2 mb-3 border text-sm/[1.65] max-w-full rounded-md bg-bg text-ink font-mono font-450 text-left whitespace-pre-wrap wrap-anywhere"
        tabIndex={0}
        aria-label={label}
      >
        {text}
      </pre>
      <CopyButton what={what} text={text} />
    </>
  );
}
