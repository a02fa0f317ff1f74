import { Link } from '@tanstack/react-router';

const reports = [
  { to: '/breakdown', name: 'Breakdown' },
  { to: '/compare', name: 'Compare' },
  { to: '/report', name: 'Weekly report' },
] as const;

/** The pages that answer questions about the past, where the navigation has no room for each. */
export function ReportLinks() {
  return (
    <nav className="hidden gap-4 max-sm:flex print:hidden" aria-label="Reports">
      {reports.map(({ to, name }) => (
        <Link
          key={to}
          to={to}
          className="inline-flex min-h-6 items-center font-550 text-ink2 aria-[current]:text-accent"
          activeOptions={{ includeSearch: false }}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}
