import type { ReadonlySignal } from "@preact/signals";

/** Draws the calling component again whenever the signal changes, for what changes without one: the clock, and buffers that grow. */
export function redrawOn(changes: ReadonlySignal<unknown>): void {
  void changes.value; // reading it subscribes the component
}
