import { invalid } from "../../lib/domain-error.ts";
import { iso, parseIsoTime } from "../../lib/iso-time.ts";
import { omit } from "../../lib/omit.ts";
import type { Maintenance } from "./maintenance.types.ts";

export const maintenanceToWire = ({ since, until, ...rest }: Maintenance) => ({
  ...omit(rest, "tenantId"),
  since: iso(since),
  until: iso(until),
});

/** @throws DomainError of kind `invalid` */
export function readUntil(text: string): number {
  const timeMs = parseIsoTime(text);
  if (timeMs === undefined) throw invalid("maintenance.until");
  return timeMs;
}
