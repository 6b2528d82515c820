import type { Clock } from "../../../platform/time/clock.ts";
import type { BridgeState } from "./bridge.types.ts";

type Current = Omit<BridgeState, "counts">;

/** State of a bridge and the counts of its messages. Tells its listener about every change of the state. */
export class BridgeRecord {
  readonly counts = { received: 0, ignored: 0, tooLarge: 0, dropped: 0 };
  readonly #clock: Clock;
  readonly #onState: (state: BridgeState) => void;
  #current: Current;

  constructor({ clock, onState }: { readonly clock: Clock; readonly onState: (state: BridgeState) => void }) {
    this.#clock = clock;
    this.#onState = onState;
    this.#current = {
      status: "stopped",
      since: clock.now(),
      problem: null,
      lastError: null,
      lastErrorAt: null,
      nextAttemptAt: null,
      failedAttempts: 0,
      subscriptions: [],
    };
  }

  get state(): BridgeState {
    return { ...this.#current, counts: { ...this.counts } };
  }

  change(to: Partial<Omit<Current, "since">>): void {
    const isNewStatus = to.status !== undefined && to.status !== this.#current.status;
    this.#current = { ...this.#current, ...to, ...(isNewStatus && { since: this.#clock.now() }) };
    this.#onState(this.state);
  }
}
