/** A block of settings that can be switched on and off. */
export interface Switchable {
  readonly enabled?: boolean | undefined;
}

/**
 * Whether a block of settings is on: as it says itself, else by the preset, else as soon as one of its keys is set.
 */
export function isOn(block: Switchable, byPreset = false): boolean {
  return block.enabled ?? (byPreset || Object.values(block).some((value) => value !== undefined));
}
