import type { DeviceId } from "../../lib/core/ids.ts";
import type { DeviceDirectory } from "../devices/device-directory.ts";
import type { Command, CommandRelay, CommandTransport } from "./commands.types.ts";

/** Transports: MQTT, the device's own WebSocket, a LoRaWAN network, topics at a broker, and field protocols. */
const WAYS = ["mqtt", "websocket", "radio", "broker", "modbus", "s7", "bacnet", "opcua"] as const;
type Way = (typeof WAYS)[number];

/**
 * Transports of commands; each server registers its own. A device whose `commandTransport` names a transport gets commands only through that one,
 * any other device through the first on which it listens, in the order of `WAYS`.
 */
export class CommandWays implements CommandTransport {
  readonly #directory: Pick<DeviceDirectory, "find">;
  readonly #transports = new Map<Way, CommandTransport>();
  #relay: CommandRelay | undefined;

  constructor(directory: Pick<DeviceDirectory, "find">) {
    this.#directory = directory;
  }

  add(way: Way, transport: CommandTransport): void {
    this.#transports.set(way, transport);
  }

  /** Sets the transport to children of gateways. */
  setRelay(relay: CommandRelay): void {
    this.#relay = relay;
  }

  #of(deviceId: DeviceId): CommandTransport[] {
    const transport = this.#directory.find(deviceId)?.commandTransport;
    const names =
      transport === "WS" ? ["websocket" as const] : transport === "MQTT" ? ["mqtt" as const] : WAYS;
    return names.flatMap((name) => this.#transports.get(name) ?? []);
  }

  send(command: Command): boolean | "kept" {
    const transports = this.#of(command.deviceId);
    // A device may be read by two field protocols; the protocol without the key would refuse the command.
    const isKnown = transports.some((transport) => transport.has?.(command) === true);
    for (const transport of transports) {
      if (isKnown && transport.has?.(command) === false) continue;
      const taken = transport.send(command);
      if (taken !== false) return taken;
    }
    return false;
  }

  keepsFor(deviceId: DeviceId): boolean {
    return this.#of(deviceId).some((transport) => transport.keepsFor(deviceId));
  }

  /** Relay of a program without one: children and gateways are treated like other devices. */
  readonly relay: CommandRelay = {
    gatewayOf: (deviceId) => this.#relay?.gatewayOf(deviceId),
    send: (command) => this.#relay?.send(command) ?? false,
    keepsFor: (gatewayId) => this.#relay?.keepsFor(gatewayId) ?? false,
  };
}
