import { useQuery } from '@tanstack/react-query';
import { statusQuery } from '../api/status.ts';
import { Icon } from '../ui/lib/icons.tsx';
import { type GrafanaTimes, grafanaLink, type RecordPosition, recordLink } from './record-links.ts';

function useLinks() {
  const { data } = useQuery({ ...statusQuery, refetchInterval: false, staleTime: 60_000 });
  return data?.links;
}

/** Link to the same time range in Grafana, if configured. */
export function GrafanaLink({ from, to }: GrafanaTimes) {
  const links = useLinks();
  return (
    <ExternalLink
      href={links && grafanaLink(links, { from, to })}
      text="Grafana"
      title="Open this time range in Grafana"
    />
  );
}

/** Link to a record in a Kafka UI, if configured. */
export function RecordLink({ position }: { readonly position: RecordPosition }) {
  const links = useLinks();
  return (
    <ExternalLink
      href={links && recordLink(links, position)}
      text="in Kafka"
      title="Open this record in the Kafka UI"
    />
  );
}

function ExternalLink({
  href,
  text,
  title,
}: {
  readonly href: string | undefined;
  readonly text: string;
  readonly title: string;
}) {
  if (href === undefined) return null;
  return (
    <a
      className="text-sm/[1.5] inline-flex items-center gap-1 min-h-6 text-accent font-sans font-550 whitespace-nowrap hover:underline"
      href={href}
      title={title}
      target="_blank"
      rel="noreferrer"
    >
      {text}
      <Icon name="external" size={12} />
    </a>
  );
}
