import { Link } from '@tanstack/react-router';
import button from '../ui/controls/Button.module.css';
import { Button } from '../ui/controls/Button.tsx';
import { Icon } from '../ui/lib/icons.tsx';
import styles from './PeekBar.module.css';

interface Props {
  readonly to: '/incidents/$id' | '/sessions/$id';
  readonly params: { readonly id: string };
  readonly onClose: () => void;
}

/** Toolbar of the details beside a list: close them, or open their page. */
export function PeekBar({ to, params, onClose }: Props) {
  return (
    <div className={styles['bar']}>
      <Button quiet onClick={onClose}>
        <Icon name="back" size={14} />
        List
      </Button>
      <span className={styles['hint']}>
        <kbd>j</kbd> <kbd>k</kbd> next and previous
      </span>
      <span className="grow" />
      <Link className={button['button']} data-quiet to={to} params={params}>
        <Icon name="expand" size={14} />
        Open full page
      </Link>
      <Button quiet icon onClick={onClose} aria-label="Close" title="Close (Esc)">
        <Icon name="close" />
      </Button>
    </div>
  );
}
