import { invalid } from "../../lib/core/domain-error.ts";
import { omit } from "../../lib/core/omit.ts";
import { iso, parseIsoTime } from "../../lib/time/iso-time.ts";
import type { Maintenance } from "./maintenance.types.ts";

export const maintenanceToWire = ({ since, until, ...rest }: Maintenance) => ({
  ...omit(rest, "tenantId"),
  since: iso(since),
  until: iso(until),
});

/** @throws DomainError `invalid` */
export function readUntil(text: string): number {
  const timeMs = parseIsoTime(text);
  if (timeMs === undefined) throw invalid("maintenance.until");
  return timeMs;
}
