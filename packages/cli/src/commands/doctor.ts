import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, type Settings } from '@loopwatch/contract';
import { parseJudgeAnswer } from '@loopwatch/detectors';
import { modelClient } from '@loopwatch/worker';
import type { Command } from 'commander';
import { loadConfig } from '../config/load-config.ts';
import { addConfigOptions, type ConfigOptions } from '../config/options.ts';
import { dashboardDir } from '../runtime/installation.ts';
import { print } from '../runtime/output.ts';
import type { Diagnosis } from './diagnosis.ts';
import { checkDataFolder } from './doctor-data-folder.ts';
import { checkKafka } from './doctor-kafka.ts';
import { checkPort } from './doctor-port.ts';
import { checkSchemaRegistry } from './doctor-registry.ts';
import { checkServerNeeds } from './doctor-server.ts';
import { describedCommand } from './summaries.ts';

interface Options extends ConfigOptions {
  readonly brokers?: string;
}

/** `loopwatch doctor`: checks the environment and reports how to fix problems. */
export function doctorCommand(): Command {
  const command = describedCommand('doctor').option(
    '--brokers <list>',
    'comma-separated bootstrap servers, host:port (default: KAFKA_BROKERS)',
  );
  return addConfigOptions(command).action(async (options: Options) => {
    const { settings, warnings } = loadConfig(options, [
      { flag: '--brokers', path: 'kafka.brokers', text: options.brokers },
    ]);
    const diagnoses: Diagnosis[] = [
      ...warnings.map((warning) => ({ ok: false, what: 'configuration', advice: warning })),
      checkNode(),
      checkDashboard(),
      await checkDataFolder(settings.storage.data_dir),
      await checkPort('server', settings.server),
      await checkPort('worker', settings.worker),
      ...(await checkServerNeeds(settings)),
      ...(await checkKafka(settings)),
      ...(await checkSchemaRegistry(settings)),
      await checkModel(settings),
    ];
    for (const { ok, what, advice, isRisk = false } of diagnoses) {
      print(`${ok ? 'ok  ' : isRisk ? 'RISK' : 'FAIL'}  ${what}\n`);
      if (!ok && advice !== undefined) print(`      ${advice}\n`);
    }
    process.exitCode = diagnoses.every(({ ok, isRisk = false }) => ok || isRisk) ? 0 : 1;
  });
}

function checkNode(): Diagnosis {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const ok = major > 20 || (major === 20 && minor >= 19);
  return { ok, what: `Node ${process.versions.node}`, advice: 'Loopwatch needs Node 20.19 or newer.' };
}

function checkDashboard(): Diagnosis {
  const ok = existsSync(join(dashboardDir, 'index.html'));
  return { ok, what: `dashboard is ${ok ? '' : 'not '}built`, advice: 'Run `npm run build`.' };
}

/** Checks that the model answers with the JSON that semantic checks need. */
async function checkModel({ llm, semantic }: Settings): Promise<Diagnosis> {
  const client = modelClient(llm);
  if (client === undefined) {
    const missing = llm.model === undefined ? 'llm.model' : 'llm.base_url';
    const isPartial = Object.values(llm).some((value) => value !== undefined);
    const advice = `Set ${missing} too, or none of llm.*.`;
    return { ok: !isPartial, what: 'no model configured: the semantic layer is off', advice };
  }
  const what = `model ${client.model}`;
  const messages = [{ role: 'user', content: modelQuestion } as const];
  try {
    const signal = AbortSignal.timeout(semantic.timeout_seconds * 1000);
    const { text } = await client.ask({ sessionId: 'doctor', messages, second: false }, signal);
    const answer = parseJudgeAnswer(text);
    if (!('failure' in answer)) return { ok: true, what: `${what} answers with the requested JSON` };
    const advice =
      'The model answers, but not with the requested JSON object. Choose a model that supports structured output.';
    return { ok: false, what, advice };
  } catch (error) {
    const advice = `${messageOf(error).replace(/\.?$/, '.')} Check llm.base_url, llm.model and llm.api_key.`;
    return { ok: false, what, advice };
  }
}

const modelQuestion =
  'Answer only with the JSON object {"analysis": "nothing to judge", "confidence": 0}. This is a connection check.';
