import { modelReply } from '@loopwatch/testkit';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { ClientMetrics } from '../src/client-metrics.ts';
import { Agent } from './agent.ts';
import { GatewayBench } from './harness.ts';

const labels = 'gen_ai_operation_name="chat",gen_ai_provider_name="openai",gen_ai_request_model="gpt-5-mini"';

describe.each([false, true])('client metrics (streamed: %s)', (stream) => {
  it('observe tokens and time of a response', async () => {
    await using bench = await GatewayBench.start((request) => modelReply(request, { text: 'Done.' }));
    await new Agent(bench, stream).turn();
    const text = await bench.registry.metrics();
    expect(text).toMatch(
      new RegExp(`gen_ai_client_token_usage_sum\\{${labels},gen_ai_token_type="input"\\} [1-9]`),
    );
    expect(text).toMatch(
      new RegExp(`gen_ai_client_token_usage_sum\\{${labels},gen_ai_token_type="output"\\} [1-9]`),
    );
    expect(text).toContain(`gen_ai_client_operation_duration_seconds_count{${labels}} 1`);
  });

  it('tell failed requests apart', async () => {
    await using bench = await GatewayBench.start(() => 'hang up');
    await new Agent(bench, stream).turn().catch(() => undefined);
    expect(await bench.registry.metrics()).toContain(
      `gen_ai_client_operation_duration_seconds_count{${labels},error_type="upstream_failed"} 1`,
    );
  });
});

it('client metrics: clients cannot add models without end', async () => {
  const registry = new Registry();
  const metrics = new ClientMetrics(registry);
  for (let i = 0; i < 300; i += 1) metrics.observeDuration({ model: `m-${String(i)}`, backend: 'openai' }, 1);
  const counts = (await registry.metrics()).split('\n').filter((line) => line.includes('_count{'));
  expect(counts).toHaveLength(101);
  expect(counts.at(-1)).toMatch(/gen_ai_request_model="_OTHER"\} 200$/);
});
