import { type JsonObject, textOf } from '../record/json.ts';

/** Which sub-agent of a session a record belongs to. Older records name none: there its first record names the sub-agent. */
export class SidechainIds {
  /** By the `uuid` of a record, the sub-agent it belongs to. */
  readonly #byRecord = new Map<string, string>();

  /** @returns undefined for a record of the session itself */
  of(record: JsonObject): string | undefined {
    const agentId = textOf(record['agentId']);
    if (agentId !== undefined) return agentId;
    if (record['isSidechain'] !== true) return undefined;
    const uuid = textOf(record['uuid']) ?? 'sidechain';
    const parent = textOf(record['parentUuid']);
    const sidechain = (parent === undefined ? undefined : this.#byRecord.get(parent)) ?? uuid;
    this.#byRecord.set(uuid, sidechain);
    return sidechain;
  }
}
