import type { MqttLimits } from "./mqtt.types.ts";

/** Counts connections, in all and by remote address. */
export class ConnectionLimits {
  readonly #limits: MqttLimits;
  /** Remote address → its open connections. */
  readonly #perAddress = new Map<string, number>();
  #all = 0;

  constructor(limits: MqttLimits) {
    this.#limits = limits;
  }

  /** Counts one more; false when that is too many. It is to `leave` either way. */
  enter(address: string): boolean {
    const fromAddress = (this.#perAddress.get(address) ?? 0) + 1;
    this.#perAddress.set(address, fromAddress);
    this.#all++;
    return this.#all <= this.#limits.connectionsMax && fromAddress <= this.#limits.connectionsPerAddressMax;
  }

  leave(address: string): void {
    const left = (this.#perAddress.get(address) ?? 1) - 1;
    if (left === 0) this.#perAddress.delete(address);
    else this.#perAddress.set(address, left);
    this.#all--;
  }
}
