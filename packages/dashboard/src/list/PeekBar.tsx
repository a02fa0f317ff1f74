import { Link } from '@tanstack/react-router';
import { Button } from '../ui/controls/Button.tsx';
import { Icon } from '../ui/lib/icons.tsx';

interface Props {
  readonly to: '/incidents/$id' | '/sessions/$id';
  readonly params: { readonly id: string };
  readonly onClose: () => void;
}

/** Toolbar of the details beside a list: close them, or open their page. */
export function PeekBar({ to, params, onClose }: Props) {
  return (
    <div className="flex items-center gap-2 min-h-7.5">
      <Button quiet onClick={onClose}>
        <Icon name="back" size={14} />
        List
      </Button>
      <span className="text-xs text-ink3 max-sm:hidden">
        <kbd>j</kbd> <kbd>k</kbd> next and previous
      </span>
      <span className="flex-1" />
      <Link className="button" data-quiet to={to} params={params}>
        <Icon name="expand" size={14} />
        Open full page
      </Link>
      <Button quiet icon onClick={onClose} aria-label="Close" title="Close (Esc)">
        <Icon name="close" />
      </Button>
    </div>
  );
}
