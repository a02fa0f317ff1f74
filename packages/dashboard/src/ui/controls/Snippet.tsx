import { CopyButton } from './CopyButton.tsx';
import styles from './Snippet.module.css';

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
      <pre className={styles['snippet']} tabIndex={0} aria-label={label}>
        {text}
      </pre>
      <CopyButton what={what} text={text} />
    </>
  );
}
