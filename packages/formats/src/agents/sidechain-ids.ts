import { type JsonObject, textOf } from '../record/json.ts';

/** Finds the sub-agent of a record. Older records do not name it; the `uuid` of its first record then identifies it. */
export class SidechainIds {
  /** Sub-agent by the `uuid` of a record. */
  readonly #byRecord = new Map<string, string>();

  /** @returns the id of the sub-agent; undefined for a record of the session itself */
  of(record: JsonObject): string | undefined {
    const agentId = textOf(record['agentId']) ?? textOf(record['parent_tool_use_id']);
    if (agentId !== undefined) return agentId;
    if (record['isSidechain'] !== true) return undefined;
    const uuid = textOf(record['uuid']) ?? 'sidechain';
    const parent = textOf(record['parentUuid']);
    const sidechain = (parent === undefined ? undefined : this.#byRecord.get(parent)) ?? uuid;
    this.#byRecord.set(uuid, sidechain);
    return sidechain;
  }
}
