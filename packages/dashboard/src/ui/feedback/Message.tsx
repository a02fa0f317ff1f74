import { createElement, type ReactNode } from 'react';

interface Props {
  readonly title: string;
  /** Heading level. */
  readonly level?: 1 | 2;
  readonly tone?: 'plain' | 'hot';
  readonly picture?: ReactNode;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

/** Message for empty, no-match and error states. */
export function Message({ title, level = 2, tone = 'plain', picture, children, action }: Props) {
  return (
    <div
      className="px-4 py-12 grid justify-items-center gap-3 text-center [&>a]:text-accent [&>a]:font-550 [&>a]:hover:underline"
      role={tone === 'hot' ? 'alert' : undefined}
    >
      {picture}
      {createElement(
        `h${String(level)}`,
        { className: `text-lg font-620 ${tone === 'hot' ? 'text-hot' : ''}` },
        title,
      )}
      {children !== undefined && (
        <div className="grid gap-3 justify-items-center max-w-[min(620px,100%)] text-ink2">{children}</div>
      )}
      {action}
    </div>
  );
}
