import { detail } from "../../lib/domain-error.ts";
import type { TenantId } from "../../lib/ids.ts";
import { RateMeter } from "../../lib/rate-meter.ts";
import type { Clock } from "../../platform/clock.ts";
import type { EventBus } from "../../platform/event-bus.ts";
import type { DomainEvents } from "../events.types.ts";

const HOUR_MS = 3_600_000;
/** Min. time between faults of a tenant. */
const FAULT_INTERVAL_MS = 60_000;

interface Room {
  readonly meter: RateMeter;
  /** Monotonic ms. */
  faultAt: number;
}

/**
 * Returns a function that counts an alarm mail of a tenant. It returns false if there is no room for the mail now; the limit is a fault of the
 * tenant.
 */
export function createMailRoom(deps: {
  /** 0 for no limit. */
  readonly perHour: number;
  readonly clock: Pick<Clock, "monotonic">;
  readonly events: EventBus<DomainEvents>;
}): (tenantId: TenantId) => boolean {
  const { perHour, clock, events } = deps;
  const rooms = new Map<TenantId, Room>();
  events.on("tenant.deleted", ({ tenantId }) => void rooms.delete(tenantId));

  function roomOf(tenantId: TenantId): Room {
    const room = rooms.get(tenantId) ?? {
      meter: Object.assign(new RateMeter(), { perSecond: (perHour * 1_000) / HOUR_MS, burst: perHour }),
      faultAt: Number.NEGATIVE_INFINITY,
    };
    rooms.set(tenantId, room);
    return room;
  }

  return (tenantId) => {
    if (perHour === 0) return true;
    const now = clock.monotonic();
    const room = roomOf(tenantId);
    if (room.meter.take(now) === 0) return true;
    if (now - room.faultAt >= FAULT_INTERVAL_MS) {
      room.faultAt = now;
      const fault = detail("fault.alarm_mails_collected", { max: perHour });
      const subject = { kind: "outbox", id: tenantId } as const;
      events.emit("fault.occurred", { ...fault, source: "mail", tenantId, subject });
    }
    return false;
  };
}
