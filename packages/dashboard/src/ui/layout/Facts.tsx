import { Fragment, type ReactNode } from 'react';

/** A list of names and values. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.25 text-sm [&_dt]:text-ink3 [&_dd]:text-right [&_dd]:min-w-0 [&_dd]:wrap-anywhere [&_code]:text-sm/[1.5] [&_code]:font-mono [&_code]:font-450">
      {facts.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
