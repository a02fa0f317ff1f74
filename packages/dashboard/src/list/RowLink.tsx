import { Link } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';
import { classNames } from '../lib/class-names.ts';
import rowLink from '../ui/controls/RowLink.module.css';

interface Props {
  readonly to: '/incidents/$id' | '/sessions/$id';
  readonly id: string;
  readonly title: string;
  /** Id of the row that is open beside the list. */
  readonly peek: string | undefined;
  readonly onPeek: (id: string) => void;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

/** The link of a row; it covers the whole row and opens it beside the list. */
export function RowLink({ to, id, title, peek, onPeek, className, children }: Props) {
  return (
    <Link
      to={to}
      params={{ id }}
      className={classNames(rowLink['link'], className)}
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
