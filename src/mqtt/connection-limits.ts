import { addressGroup } from "../lib/network-address.ts";
import type { MqttLimits } from "./mqtt.types.ts";

/** Counts connections, in total and by remote address (IPv6: by /64 network). */
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
    const group = addressGroup(address);
    const fromAddress = (this.#perAddress.get(group) ?? 0) + 1;
    this.#perAddress.set(group, fromAddress);
    this.#all++;
    return this.#all <= this.#limits.connectionsMax && fromAddress <= this.#limits.connectionsPerAddressMax;
  }

  leave(address: string): void {
    const group = addressGroup(address);
    const left = (this.#perAddress.get(group) ?? 1) - 1;
    if (left === 0) this.#perAddress.delete(group);
    else this.#perAddress.set(group, left);
    this.#all--;
  }
}
