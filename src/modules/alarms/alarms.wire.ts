import { ALARM_SEVERITIES, compareSeverities } from "../../lib/alarms/severity.ts";
import { withoutNulls } from "../../lib/core/defined.ts";
import { inEnglish, invalid } from "../../lib/core/domain-error.ts";
import { omit } from "../../lib/core/omit.ts";
import { iso } from "../../lib/time/iso-time.ts";
import type { Principal } from "../users/users.types.ts";
import { ALARM_STATUSES, type AlarmEvent, type ListedAlarm, type OpenAlarms } from "./alarms.types.ts";

const isoOrNull = (timeMs: number | null) => (timeMs === null ? null : iso(timeMs));

/** Converts an alarm for the API, without the name of a gateway that the caller cannot see. */
export function alarmToWire({ alarmType, ...alarm }: ListedAlarm, { devices }: Pick<Principal, "devices">) {
  const { acknowledgedAt, acknowledgedBy, clearedAt, clearedBy, createdAt, raisedAt, updatedAt, ...others } =
    omit(alarm, "tenantId", "escalationSince");
  const { messageParts, gatewayId: ownGatewayId, ...rest } = others;
  const isSeen = ownGatewayId !== null && (devices === "all" || devices.has(ownGatewayId));
  const gatewayId = isSeen ? ownGatewayId : null;
  return {
    ...rest,
    name: alarmType,
    createdAt: iso(createdAt),
    raisedAt: iso(raisedAt),
    updatedAt: iso(updatedAt),
    ...withoutNulls({
      acknowledgedAt: isoOrNull(acknowledgedAt),
      acknowledgedBy,
      clearedAt: isoOrNull(clearedAt),
      clearedBy,
      gatewayId,
      messageParts: messageParts && [...messageParts],
    }),
  };
}

export const eventToWire = ({ by, createdAt, ...event }: AlarmEvent) => ({
  ...event,
  message: inEnglish(event),
  ...withoutNulls({ by }),
  createdAt: iso(createdAt),
});

function listed<Name extends string>(text: string | undefined, names: readonly Name[], subject: string) {
  if (text === undefined || text === "") return undefined;
  return text.split(",").map((candidate) => {
    const existing = names.find((name) => name === candidate.trim());
    if (existing === undefined)
      throw invalid("alarm.filter_invalid", { field: subject, names: names.join(", ") });
    return existing;
  });
}

/** Converts the devices with open alarms for the API, most severe first. */
export const openAlarmsToWire = (devices: readonly OpenAlarms[]) =>
  devices
    .toSorted((a, b) => compareSeverities(b.severity, a.severity))
    .map(({ parentDeviceId, ...open }) => ({ ...open, ...withoutNulls({ parentDeviceId }) }));

/** @throws DomainError `invalid` for an unknown severity or status */
export const readFilter = (query: { severity?: string | undefined; status?: string | undefined }) => ({
  severities: listed(query.severity, ALARM_SEVERITIES, "severity"),
  statuses: listed(query.status, ALARM_STATUSES, "status"),
});
