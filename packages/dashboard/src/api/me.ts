import { logoutSchema, type Me, meSchema } from '@loopwatch/contract/api';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { ApiError, request, send } from './client.ts';

const everybody: Me = {
  required: false,
  shared: false,
  exposed: false,
  methods: [],
  user: { name: 'everybody', role: 'operator' },
};

/** Who looks at the page. A server without logins is open to everybody. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }) => {
    try {
      return await request(meSchema, '/auth/me', { signal });
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return everybody;
      throw error;
    }
  },
  staleTime: 300_000,
});

/** Logs out. @returns where to go on to, so that the provider of logins logs out as well; undefined: nowhere */
export async function logOut(): Promise<string | undefined> {
  const answer = await send('/auth/logout', { method: 'POST' });
  return answer.status === 204 ? undefined : logoutSchema.parse(await answer.json()).goOn;
}

/** The name that changes of who looks at the page are noted under; undefined until it is known. */
export function useMyName(): string | undefined {
  return useQuery(meQuery).data?.user?.name;
}

/** Why who looks at the page may not change anything; undefined: they may. The server decides in the end. */
export function useRefusal(): string | undefined {
  const { data } = useQuery(meQuery);
  return data === undefined || data.user?.role === 'operator'
    ? undefined
    : 'Viewers have read-only access. Log in with the operator token to make changes.';
}
