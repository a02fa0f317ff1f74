import {
  type ComponentProps,
  cloneElement,
  lazy,
  type ReactElement,
  type ReactNode,
  Suspense,
  useRef,
} from 'react';
import { loadCode } from '../../lib/load-code.ts';
import { ErrorBoundary } from '../feedback/ErrorBoundary.tsx';

interface Props {
  /** A button. */
  readonly trigger: ReactElement<ComponentProps<'button'>>;
  /** Accessible name of the panel. */
  readonly label: string;
  readonly open: boolean;
  readonly onOpen: (open: boolean) => void;
  readonly align?: 'start' | 'end';
  readonly children: ReactNode;
}

const Panel = lazy(() => loadCode(() => import('./PopoverPanel.tsx')));

/** A small panel beside its button; what places it is loaded when it opens for the first time. */
export function Popover({ trigger, open, onOpen, ...panel }: Props) {
  const anchor = useRef<HTMLButtonElement>(null);
  return (
    <>
      {cloneElement(trigger, {
        ref: anchor,
        'aria-haspopup': 'dialog',
        'aria-expanded': open,
        onClick: () => onOpen(!open),
      })}
      {open && (
        <ErrorBoundary>
          <Suspense>
            <Panel {...panel} anchor={anchor} onClose={() => onOpen(false)} />
          </Suspense>
        </ErrorBoundary>
      )}
    </>
  );
}
