import type { DeviceId } from "../../lib/core/ids.ts";

/** Max. unacknowledged commands per gateway; more would displace its other messages in the broker. */
const IN_FLIGHT_MAX = 200;

/** Commands in progress to child devices, sent through their gateways' connections. */
export class RelayedCommands {
  /** Gateway by the command's number. */
  readonly #gateways = new Map<number, DeviceId>();
  readonly #byGateway = new Map<DeviceId, Set<number>>();
  /** Gateways whose further commands wait for acknowledgements. */
  readonly #crowded = new Set<DeviceId>();

  hasRoom(gatewayId: DeviceId): boolean {
    const hasRoom = (this.#byGateway.get(gatewayId)?.size ?? 0) < IN_FLIGHT_MAX;
    if (!hasRoom) this.#crowded.add(gatewayId);
    return hasRoom;
  }

  add(rpcId: number, gatewayId: DeviceId): void {
    this.#gateways.set(rpcId, gatewayId);
    const byGateway = this.#byGateway.get(gatewayId);
    if (byGateway === undefined) this.#byGateway.set(gatewayId, new Set([rpcId]));
    else byGateway.add(rpcId);
  }

  /** Returns the gateway through which the command was sent. */
  gatewayOf(rpcId: number): DeviceId | undefined {
    return this.#gateways.get(rpcId);
  }

  of(gatewayId: DeviceId): number[] {
    return [...(this.#byGateway.get(gatewayId) ?? [])];
  }

  /** Ends a command in progress. Returns its gateway if that has room again for waiting commands. */
  remove(rpcId: number): DeviceId | undefined {
    const gatewayId = this.#gateways.get(rpcId);
    if (gatewayId === undefined) return undefined;
    this.#gateways.delete(rpcId);
    const left = this.#byGateway.get(gatewayId);
    left?.delete(rpcId);
    const size = left?.size ?? 0;
    if (size === 0) this.#byGateway.delete(gatewayId);
    return size <= IN_FLIGHT_MAX / 2 && this.#crowded.delete(gatewayId) ? gatewayId : undefined;
  }
}
