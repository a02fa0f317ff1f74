/** A block of settings that can be switched on and off. */
export interface Switchable {
  readonly enabled?: boolean | undefined;
}

/** Whether a block of settings is on: by its own switch, else by the preset, else if any of its keys is set. */
export function isOn(block: Switchable, byPreset = false): boolean {
  return block.enabled ?? (byPreset || Object.values(block).some((value) => value !== undefined));
}
