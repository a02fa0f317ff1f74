import { visibleText } from '../lib/visible-text.ts';
import { BlockText } from './BlockText.tsx';
import { type EditLine, readableValue } from './readable-value.ts';

interface Props {
  /** JSON or plain text. */
  readonly text: string;
  readonly isRedacted: boolean;
}

/** Arguments or a result with its real line breaks; an edit as a difference. */
export function ReadableBlock({ text, isRedacted }: Props) {
  if (isRedacted) return <BlockText code isRedacted text={text} />;
  const { members, edit, text: plain } = readableValue(text);
  if (plain !== undefined) return <BlockText code isRedacted={false} text={plain} />;
  return (
    <div className="grid gap-1.5 min-w-0">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1 [&_dt]:font-mono [&_dt]:text-sm/[1.6] [&_dt]:text-ink3 max-sm:grid-cols-1 max-sm:gap-y-0">
        {members.map(({ name, text: member, isLong }) => (
          <div key={name} className="contents">
            <dt>{visibleText(name)}</dt>
            <dd className={isLong ? 'px-2.5 py-1.5 rounded-md bg-raise/60' : undefined}>
              <BlockText code isRedacted={false} text={member} />
            </dd>
          </div>
        ))}
      </dl>
      {edit !== undefined && <Edit lines={edit} />}
    </div>
  );
}

const marks = { same: ' ', removed: '−', added: '+' } as const;

function Edit({ lines }: { readonly lines: readonly EditLine[] }) {
  return (
    <ol
      className="border rounded-md bg-panel overflow-hidden font-mono text-sm/[1.6] font-450 text-ink2 [&_li]:grid [&_li]:grid-cols-[24px_minmax(0,1fr)] [&_li]:data-[kind=removed]:bg-hot-soft [&_li]:data-[kind=added]:bg-[color-mix(in_oklch,var(--color-ok)_10%,var(--color-panel))] [&_li]:data-[kind=removed]:text-hot [&_li]:data-[kind=added]:text-ok"
      aria-label="Change"
    >
      {lines.map(({ kind, text }, i) => (
        <li key={i} data-kind={kind}>
          <span className="text-center select-none" aria-label={kind === 'same' ? undefined : kind}>
            {marks[kind]}
          </span>
          <span className="whitespace-pre-wrap wrap-anywhere">{visibleText(text)}</span>
        </li>
      ))}
    </ol>
  );
}
