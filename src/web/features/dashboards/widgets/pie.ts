import { stateOf } from "../../../../lib/key-format.ts";
import type { KeyMetadata, StateColor } from "../../../../lib/key-metadata.ts";
import type { TelemetryValue } from "../../../lib/api-types.ts";

export interface PieSlice {
  readonly value: TelemetryValue | undefined;
  readonly metadata: KeyMetadata | undefined;
  readonly color: StateColor;
  /** Number of devices, or ms. */
  readonly amount: number;
}

interface StateAmount {
  readonly value: TelemetryValue | undefined;
  readonly metadata: KeyMetadata | undefined;
}

/** Colours of values without a state of their own; grey is for devices without a value. */
const others: readonly StateColor[] = ["teal", "orange", "purple", "blue", "pink", "yellow", "green", "red"];

/** Adds up the amounts of each state, the largest first and those without a value last. A device counts as one. */
export function slicesOf(amounts: readonly (StateAmount & { readonly amount?: number })[]): PieSlice[] {
  const groups = new Map<string, StateAmount & { amount: number }>();
  for (const { value, metadata, amount = 1 } of amounts) {
    const name = stateOf(value, metadata)?.name ?? JSON.stringify(value) ?? "";
    const group = groups.get(name) ?? { value, metadata, amount: 0 };
    group.amount += amount;
    groups.set(name, group);
  }
  const sorted = [...groups.values()].sort(
    (a, b) => Number(a.value === undefined) - Number(b.value === undefined) || b.amount - a.amount,
  );
  let next = 0;
  return sorted.map((group) => {
    const own = stateOf(group.value, group.metadata)?.color;
    const color = group.value === undefined ? "gray" : (own ?? others[next++ % others.length] ?? "gray");
    return { ...group, color };
  });
}

/** Path of a slice of a circle around 50, 50; the shares count from the top, clockwise. */
export function slicePath(from: number, to: number): string {
  if (to - from >= 1) return "M50 5a45 45 0 1 1-.01 0z";
  const point = (share: number) => {
    const angle = 2 * Math.PI * share;
    return `${(50 + 45 * Math.sin(angle)).toFixed(2)} ${(50 - 45 * Math.cos(angle)).toFixed(2)}`;
  };
  return `M50 50L${point(from)}A45 45 0 ${to - from > 0.5 ? 1 : 0} 1 ${point(to)}z`;
}
