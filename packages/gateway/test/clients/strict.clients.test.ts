import { join } from 'node:path';
import { javaProgram, pythonWith } from '@loopwatch/testkit';
import { type Client, describeClients } from './describe-clients.ts';
import { inProcess } from './in-process.ts';
import { testedClients } from './tested-clients.ts';

const file = (path: string): string => join(import.meta.dirname, path);

/** It needs other versions than the other clients. */
const semanticKernel: Client['run'] = async (cases) => {
  const python = await pythonWith(file('python/semantic-kernel.txt'));
  return inProcess(python, [file('python/semantic_kernel_client.py')], cases);
};

const springAi: Client['run'] = async (cases) =>
  inProcess('java', await javaProgram(file('java/WeatherAgent.java')), cases);

const { PyPI, Maven } = testedClients;

describeClients([
  { name: 'semantic-kernel', apis: PyPI['semantic-kernel'], isStrict: true, run: semanticKernel },
  { name: 'spring-ai-openai', apis: Maven['spring-ai-openai'], isStrict: true, run: springAi },
]);
