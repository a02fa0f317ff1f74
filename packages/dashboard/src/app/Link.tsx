import type { AnchorHTMLAttributes, MouseEvent } from 'react';
import { navigate } from './location.ts';

type Props = AnchorHTMLAttributes<HTMLAnchorElement> & {
  readonly href: string;
  /** Takes over a plain click; others (new tab, copy) stay the browser's. */
  readonly onFollow?: (href: string) => void;
};

/** A link inside the dashboard: no page load, but everything else that links can do. */
export function Link({ href, onFollow = navigate, ...rest }: Props) {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    onFollow(href);
  };
  return <a {...rest} href={href} onClick={follow} />;
}
