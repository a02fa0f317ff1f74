import { Link } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';

interface Props {
  readonly to: '/incidents/$id' | '/sessions/$id';
  readonly id: string;
  readonly title: string;
  /** Id of the row that is open beside the list. */
  readonly peek: string | undefined;
  readonly onPeek: (id: string) => void;
  /** How its text is cut. */
  readonly className: string;
  readonly children: ReactNode;
}

/** A link that covers its row, which is `relative` or `absolute`. */
export const rowLinkClass =
  'font-550 after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-accent focus-visible:after:-outline-offset-2 focus-visible:after:rounded-sm';

/** The link of a row; it covers the whole row and opens it beside the list. */
export function RowLink({ to, id, title, peek, onPeek, className, children }: Props) {
  return (
    <Link
      to={to}
      params={{ id }}
      className={`${rowLinkClass} ${className}`}
      data-key={id}
      aria-current={id === peek || undefined}
      activeProps={{}}
      title={title}
      onClick={(event) => {
        if (followsLink(event)) return;
        event.preventDefault();
        onPeek(id);
      }}
    >
      {children}
    </Link>
  );
}

/** Below this width a row opens on its own page. */
const MIN_PEEK_WIDTH = 761;

function followsLink({ button, metaKey, ctrlKey, shiftKey, altKey }: MouseEvent): boolean {
  return button !== 0 || metaKey || ctrlKey || shiftKey || altKey || window.innerWidth < MIN_PEEK_WIDTH;
}
