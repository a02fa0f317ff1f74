import {
  agentContractDefinition,
  detectionDefinition,
  modelDefinition,
  toolCallLoopDefinition,
  toolContractDefinition,
} from './detection-settings.ts';
import { schemaOf, schemaOfBlock } from './schema-of.ts';

/** Detection settings of a server; models and sessions can override them. */
export const detectionSchema = schemaOfBlock(detectionDefinition);

/** Detection settings of one model. */
export const modelSettingsSchema = schemaOf(modelDefinition);

export const toolCallLoopSchema = schemaOf(toolCallLoopDefinition);
export const toolContractSchema = schemaOf(toolContractDefinition);
export const agentContractSchema = schemaOf(agentContractDefinition);
