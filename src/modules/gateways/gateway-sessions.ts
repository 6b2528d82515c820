import type { DeviceId } from "../../lib/core/ids.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import type { DeviceActivityTracker } from "../devices/device-activity.ts";
import type { DomainEvents } from "../events.types.ts";
import type { IngestDevice } from "../ingest/ingest.types.ts";

interface Session {
  readonly gateway: IngestDevice;
  /** Children by their gateway's name for them; moved or renamed children are looked up again. */
  readonly children: Map<string, IngestDevice>;
  readonly connected: Map<DeviceId, IngestDevice>;
  /** Children that the gateway has reported as disconnected; unreachable until it reports them again. */
  readonly away: Set<DeviceId>;
}

interface GatewaySessionsDeps {
  readonly activity: Pick<DeviceActivityTracker, "connected" | "disconnected">;
  readonly findDevice: (deviceId: DeviceId) => IngestDevice | undefined;
  readonly events: EventBus<DomainEvents>;
}

/** Register of connected children, each through the one connection of its gateway. */
export class GatewaySessions {
  readonly #deps: GatewaySessionsDeps;
  /** Number of connections by device. */
  readonly #online = new Map<DeviceId, number>();
  /** Sessions by gateway that have reported a child since connecting. */
  readonly #sessions = new Map<DeviceId, Session>();
  /** Session of the gateway by child. */
  readonly #ways = new Map<DeviceId, Session>();

  constructor(deps: GatewaySessionsDeps) {
    this.#deps = deps;
  }

  /** Disconnects children that are moved or deleted. The module calls it once. */
  subscribe(): void {
    const { events } = this.#deps;
    events.on("device.updated", ({ deviceId }) => this.#deviceUpdated(deviceId));
    events.on("device.deleted", ({ deviceId }) => this.#deviceDeleted(deviceId));
  }

  /** Counts a connection of a device. Most devices are not gateways, so only their id is stored. */
  opened(deviceId: DeviceId): void {
    this.#online.set(deviceId, (this.#online.get(deviceId) ?? 0) + 1);
  }

  isOpen(deviceId: DeviceId): boolean {
    return this.#online.has(deviceId);
  }

  /** Ends a connection. Returns whether it was the device's last one, which also disconnects its children. */
  closed(deviceId: DeviceId): boolean {
    const left = (this.#online.get(deviceId) ?? 1) - 1;
    if (left > 0) {
      this.#online.set(deviceId, left);
      return false;
    }
    this.#online.delete(deviceId);
    const session = this.#sessions.get(deviceId);
    this.#sessions.delete(deviceId);
    if (session !== undefined)
      for (const child of [...session.connected.values()]) this.#disconnect(session, child);
    return true;
  }

  /** Returns the child with this name, if known without a query. */
  find(gateway: IngestDevice, name: string): IngestDevice | undefined {
    const child = this.#sessions.get(gateway.deviceId)?.children.get(name);
    const isCurrent =
      child?.parentDeviceId === gateway.deviceId && child.childName === name && !child.revoked;
    return isCurrent ? child : undefined;
  }

  /** Connects a child reported by the gateway. Returns whether it was disconnected before. */
  reported(gateway: IngestDevice, child: IngestDevice): boolean {
    const session = this.#sessionOf(gateway);
    if (session === undefined) return false;
    if (child.childName) session.children.set(child.childName, child);
    session.away.delete(child.deviceId);
    if (session.connected.has(child.deviceId)) return false;
    session.connected.set(child.deviceId, child);
    this.#ways.set(child.deviceId, session);
    this.#deps.activity.connected(child);
    return true;
  }

  /** Disconnects a child that the gateway reports as disconnected. */
  left(gateway: IngestDevice, child: IngestDevice): void {
    const session = this.#sessionOf(gateway);
    if (session === undefined) return;
    session.away.add(child.deviceId);
    this.#disconnect(session, child);
  }

  /** Returns whether the gateway is connected and has not reported the child as disconnected. */
  isReachable({ parentDeviceId, deviceId }: IngestDevice): boolean {
    return (
      parentDeviceId != null &&
      this.#online.has(parentDeviceId) &&
      this.#sessions.get(parentDeviceId)?.away.has(deviceId) !== true
    );
  }

  #sessionOf(gateway: IngestDevice): Session | undefined {
    const open = this.#sessions.get(gateway.deviceId);
    // A will that was delayed may come when its gateway has gone.
    if (open !== undefined || !this.#online.has(gateway.deviceId)) return open;
    const session = { gateway, children: new Map(), connected: new Map(), away: new Set<DeviceId>() };
    this.#sessions.set(gateway.deviceId, session);
    return session;
  }

  #disconnect(session: Session, child: IngestDevice): void {
    if (!session.connected.delete(child.deviceId)) return;
    if (this.#ways.get(child.deviceId) === session) this.#ways.delete(child.deviceId);
    this.#deps.activity.disconnected(child);
  }

  #deviceUpdated(deviceId: DeviceId): void {
    const session = this.#ways.get(deviceId);
    const child = this.#deps.findDevice(deviceId);
    if (session === undefined || child?.parentDeviceId === session.gateway.deviceId) return;
    session.away.delete(deviceId);
    if (child !== undefined) this.#disconnect(session, child);
  }

  #deviceDeleted(deviceId: DeviceId): void {
    const session = this.#ways.get(deviceId);
    session?.connected.delete(deviceId);
    session?.away.delete(deviceId);
    this.#ways.delete(deviceId);
  }
}
