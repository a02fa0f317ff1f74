export type ClientApi = 'chat' | 'responses' | 'messages' | 'gemini';

/** One run of an agent: who asks what, through which gateway. */
export interface ClientCase {
  readonly id: string;
  /** The gateway, without `/v1`. */
  readonly url: string;
  readonly model: string;
  readonly api: ClientApi;
  readonly stream: boolean;
}

/** How the run ended, as the client's user sees it. */
export interface ClientOutcome {
  readonly id: string;
  /** How often the agent ran its tool. */
  readonly calls: number;
  /** The final answer. */
  readonly text: string;
  /** What the client raised; null where it raised nothing. */
  readonly error: string | null;
}

/** An agent as the client's users write one, with the tool that it is given. @returns the final answer */
export type RunAgent = (
  given: ClientCase,
  getWeather: (input: { readonly city: string }) => string,
) => Promise<string>;

export const prompt = 'Is it warmer in Paris or in Rome?';
export const apiKey = 'sk-client-test';
export const MOST_TURNS = 12;
export const headersOf = ({ id }: ClientCase) => ({ 'x-session-id': id });
export const toolName = 'get_weather';
export const toolDescription = 'The weather in a city';
export const toolSchema = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const } },
  required: ['city'],
  additionalProperties: false as const,
};

/** Runs the agent, and says how that ended. */
export async function outcomeOf(run: RunAgent, given: ClientCase): Promise<ClientOutcome> {
  let calls = 0;
  const getWeather = ({ city }: { readonly city: string }): string => {
    calls += 1;
    return city === 'Rome' ? '25 degrees' : '20 degrees';
  };
  try {
    const text = await run(given, getWeather);
    return { id: given.id, calls, text, error: null };
  } catch (error) {
    return { id: given.id, calls, text: '', error: String(error) };
  }
}
