import { existsSync } from 'node:fs';
import { access, constants, mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { type Settings, topicNames } from '@loopwatch/contract';
import { ensureTopics, topicSpecs } from '@loopwatch/log';
import { Command } from 'commander';
import { loadConfig } from '../config/load-config.ts';
import { addConfigOptions, type ConfigOptions } from '../config/options.ts';
import { kafkaOptions } from '../runtime/kafka.ts';
import { silentLogger } from '../runtime/logger.ts';
import { dashboardDir } from '../runtime/paths.ts';

interface Options extends ConfigOptions {
  readonly brokers?: string;
}

/** What one check found; `advice` says what to do when it is not good. */
interface Diagnosis {
  readonly ok: boolean;
  readonly what: string;
  readonly advice?: string;
}

/** `loopwatch doctor`: checks what Loopwatch needs, and says what to do. */
export function doctorCommand(): Command {
  const command = new Command('doctor')
    .description('checks brokers, topics, ports and folders, and says what to do')
    .option('--brokers <list>', 'host:port of the brokers, by commas (default: KAFKA_BROKERS)');
  return addConfigOptions(command).action(async (options: Options) => {
    const { settings, warnings } = loadConfig(options, [
      { flag: '--brokers', path: 'kafka.brokers', text: options.brokers },
    ]);
    const diagnoses: Diagnosis[] = [
      ...warnings.map((warning) => ({ ok: false, what: 'configuration', advice: warning })),
      checkNode(),
      checkDashboard(),
      await checkDataDir(settings),
      await checkPort('server', settings.server),
      await checkPort('worker', settings.worker),
      ...(await checkKafka(settings)),
    ];
    for (const { ok, what, advice } of diagnoses) {
      process.stdout.write(`${ok ? 'ok  ' : 'FAIL'}  ${what}\n`);
      if (!ok && advice !== undefined) process.stdout.write(`      ${advice}\n`);
    }
    process.exitCode = diagnoses.every(({ ok }) => ok) ? 0 : 1;
  });
}

function checkNode(): Diagnosis {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const ok = major > 20 || (major === 20 && minor >= 19);
  return { ok, what: `Node ${process.versions.node}`, advice: 'Loopwatch needs Node 20.19 or newer.' };
}

function checkDashboard(): Diagnosis {
  const ok = existsSync(join(dashboardDir, 'index.html'));
  return { ok, what: 'dashboard is built', advice: 'Run `npm run build`.' };
}

async function checkDataDir({ storage }: Settings): Promise<Diagnosis> {
  const dir = resolve(storage.data_dir);
  try {
    await mkdir(dir, { recursive: true });
    await access(dir, constants.W_OK);
    return { ok: true, what: `data folder ${dir} can be written` };
  } catch (error) {
    const advice = `${String(error)}. Choose another with --set storage.data_dir=…`;
    return { ok: false, what: `data folder ${dir}`, advice };
  }
}

async function checkPort(name: 'server' | 'worker', { host, port }: Settings['server']): Promise<Diagnosis> {
  const free = await new Promise<boolean>((done) => {
    const probe = createServer();
    probe.once('error', () => {
      done(false);
    });
    probe.listen(port, host, () => {
      probe.close(() => {
        done(true);
      });
    });
  });
  const advice = `Something uses it, perhaps Loopwatch itself. Choose another with --set ${name}.port=…`;
  return { ok: free, what: `port ${String(port)} (${name}) is free`, advice };
}

async function checkKafka(settings: Settings): Promise<Diagnosis[]> {
  const { brokers, partitions } = settings.kafka;
  if (brokers.length === 0)
    return [{ ok: true, what: 'no Kafka configured: `loopwatch start` uses the embedded log' }];
  const specs = topicSpecs(topicNames(settings.kafka.topics), { partitions });
  try {
    const reports = await ensureTopics({ ...kafkaOptions(settings, silentLogger()), create: false }, specs);
    return [
      { ok: true, what: `Kafka answers on ${brokers.join(',')}` },
      ...reports.map(({ topic, status, details }) => ({
        ok: status === 'ok',
        what: `topic ${topic} ${status === 'ok' ? 'is as it should be' : status}`,
        advice: status === 'missing' ? 'Run `npx loopwatch topics`.' : details.join(' '),
      })),
    ];
  } catch (error) {
    return [
      {
        ok: false,
        what: `Kafka on ${brokers.join(',')}`,
        advice: error instanceof Error ? error.message : String(error),
      },
    ];
  }
}
