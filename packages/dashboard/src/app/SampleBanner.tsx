import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRefusal } from '../api/me.ts';
import { playSamples, removeSamples, samplesQuery } from '../api/samples.ts';
import { errorText } from '../lib/error-text.ts';
import { plural } from '../lib/format.ts';
import { Button } from '../ui/controls/Button.tsx';
import { Banner } from '../ui/feedback/Banner.tsx';
import { toast } from '../ui/feedback/toast-store.ts';

/** Marks sample data as such, and stops or removes it. */
export function SampleBanner() {
  const { data } = useQuery(samplesQuery);
  const refused = useRefusal();
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (action: 'stop' | 'play' | 'remove') =>
      action === 'remove' ? removeSamples() : playSamples(action === 'play'),
    onSuccess: async (samples, action) => {
      client.setQueryData(samplesQuery.queryKey, samples);
      if (action === 'remove') await client.invalidateQueries();
    },
    onError: (error) => toast(errorText(error), { tone: 'hot' }),
  });
  if (data === undefined || (!data.playing && data.sessions === 0)) return null;
  const common = { small: true, quiet: true, refused, disabled: change.isPending };
  return (
    <Banner
      title="Sample data"
      actions={
        <>
          <Link to="/connect" activeProps={{}}>
            Connect your agents
          </Link>
          {data.playing ? (
            <Button {...common} onClick={() => change.mutate('stop')}>
              Stop samples
            </Button>
          ) : (
            data.available && (
              <Button {...common} onClick={() => change.mutate('play')}>
                Play samples
              </Button>
            )
          )}
          <Button {...common} onClick={() => change.mutate('remove')}>
            {data.playing ? 'Stop and remove' : 'Remove'}
          </Button>
        </>
      }
    >
      {data.playing
        ? 'Recorded sample sessions are playing. They do not come from your agents.'
        : `${plural(data.sessions, 'sample session')} stored; playback is stopped.`}
    </Banner>
  );
}
