import type { DeviceId } from "../../lib/ids.ts";
import type { EventBus } from "../../platform/event-bus.ts";
import type { DeviceActivityTracker } from "../devices/device-activity.ts";
import type { DomainEvents } from "../events.types.ts";
import type { IngestDevice } from "../ingest/ingest.types.ts";

interface Session {
  readonly gateway: IngestDevice;
  /** Children by what the gateway calls them; one that was moved or called otherwise since is looked up anew. */
  readonly children: Map<string, IngestDevice>;
  readonly connected: Map<DeviceId, IngestDevice>;
  /** Children that the gateway has said good-bye for: they cannot be reached until it speaks of them again. */
  readonly away: Set<DeviceId>;
}

/** Creates the register of connected children, each through the one connection of its gateway. */
export function createGatewaySessions(deps: {
  activity: Pick<DeviceActivityTracker, "connected" | "disconnected">;
  findDevice: (deviceId: DeviceId) => IngestDevice | undefined;
  events: EventBus<DomainEvents>;
}) {
  const { activity, events } = deps;
  /** Connections by device. */
  const online = new Map<DeviceId, number>();
  /** Keyed by gateway: those that have spoken of a child since they connected. */
  const sessions = new Map<DeviceId, Session>();
  /** Keyed by connected child: the session through which it is. */
  const ways = new Map<DeviceId, Session>();

  function sessionOf(gateway: IngestDevice): Session | undefined {
    const open = sessions.get(gateway.deviceId);
    // A will that was delayed may come when its gateway has gone.
    if (open !== undefined || !online.has(gateway.deviceId)) return open;
    const session = { gateway, children: new Map(), connected: new Map(), away: new Set<DeviceId>() };
    sessions.set(gateway.deviceId, session);
    return session;
  }

  function disconnect(session: Session, child: IngestDevice): void {
    if (!session.connected.delete(child.deviceId)) return;
    if (ways.get(child.deviceId) === session) ways.delete(child.deviceId);
    activity.disconnected(child);
  }

  events.on("device.updated", ({ deviceId }) => {
    const session = ways.get(deviceId);
    const child = deps.findDevice(deviceId);
    if (session === undefined || child?.parentDeviceId === session.gateway.deviceId) return;
    session.away.delete(deviceId);
    if (child !== undefined) disconnect(session, child);
  });
  events.on("device.deleted", ({ deviceId }) => {
    const session = ways.get(deviceId);
    session?.connected.delete(deviceId);
    session?.away.delete(deviceId);
    ways.delete(deviceId);
  });

  return {
    /** A device has connected; most are no gateways and cost nothing but their id. */
    opened: (deviceId: DeviceId): void => void online.set(deviceId, (online.get(deviceId) ?? 0) + 1),
    /** Ends a connection; `true` if it was the last one of the gateway, and its children are gone with it. */
    closed(deviceId: DeviceId): boolean {
      const left = (online.get(deviceId) ?? 1) - 1;
      if (left > 0) {
        online.set(deviceId, left);
        return false;
      }
      online.delete(deviceId);
      const session = sessions.get(deviceId);
      sessions.delete(deviceId);
      for (const child of [...(session?.connected.values() ?? [])]) if (session) disconnect(session, child);
      return true;
    },
    /** The child that the gateway calls so, where that is known without asking the database. */
    find(gateway: IngestDevice, name: string): IngestDevice | undefined {
      const child = sessions.get(gateway.deviceId)?.children.get(name);
      const isCurrent =
        child?.parentDeviceId === gateway.deviceId && child.childName === name && !child.revoked;
      return isCurrent ? child : undefined;
    },
    /** The gateway speaks of the child: it is connected now. True when it was not. */
    reported(gateway: IngestDevice, child: IngestDevice): boolean {
      const session = sessionOf(gateway);
      if (session === undefined) return false;
      if (child.childName) session.children.set(child.childName, child);
      session.away.delete(child.deviceId);
      if (session.connected.has(child.deviceId)) return false;
      session.connected.set(child.deviceId, child);
      ways.set(child.deviceId, session);
      activity.connected(child);
      return true;
    },
    left(gateway: IngestDevice, child: IngestDevice): void {
      const session = sessionOf(gateway);
      if (session === undefined) return;
      session.away.add(child.deviceId);
      disconnect(session, child);
    },
    /** The gateway is here and has not said good-bye for the child. */
    isReachable: (child: IngestDevice): boolean =>
      child.parentDeviceId != null &&
      online.has(child.parentDeviceId) &&
      sessions.get(child.parentDeviceId)?.away.has(child.deviceId) !== true,
  };
}

export type GatewaySessions = ReturnType<typeof createGatewaySessions>;
