import { stateOf } from "../../../lib/keys/key-format.ts";
import type { KeyMetadata } from "../../../lib/keys/key-metadata.ts";
import { stateColor } from "../../lib/state-colors.ts";
import { darkNow } from "../../platform/preferences.ts";

/** Dot in the color of a state; nothing for a value that has none. */
export function StateDot({ value, metadata }: { value: unknown; metadata: KeyMetadata | undefined }) {
  const color = stateOf(value, metadata)?.color;
  if (color === undefined) return null;
  return (
    <span
      class="size-3 flex-none rounded-full"
      style={{ background: stateColor(color, darkNow.value) }}
      aria-hidden="true"
    />
  );
}
