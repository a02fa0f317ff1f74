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

/** The current user. Without logins everyone is an operator. */
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

/** Logs out. @returns logout URL of the identity provider, if it has one */
export async function logOut(): Promise<string | undefined> {
  const answer = await send('/auth/logout', { method: 'POST' });
  return answer.status === 204 ? undefined : logoutSchema.parse(await answer.json()).redirectUrl;
}

/** Name of the current user; undefined until loaded. */
export function useMyName(): string | undefined {
  return useQuery(meQuery).data?.user?.name;
}

/** Why the current user may not change anything, else undefined. The server enforces it. */
export function useRefusal(): string | undefined {
  const { data } = useQuery(meQuery);
  return data === undefined || data.user?.role === 'operator'
    ? undefined
    : 'Viewers have read-only access. Log in as an operator to make changes.';
}
