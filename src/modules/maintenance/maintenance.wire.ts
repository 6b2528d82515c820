import { invalid } from "../../lib/domain-error.ts";
import type { Maintenance } from "./maintenance.types.ts";

const isoTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;
const iso = (timeMs: number): string => new Date(timeMs).toISOString();

export const maintenanceToWire = ({ tenantId: _, since, until, ...rest }: Maintenance) => ({
  ...rest,
  since: iso(since),
  until: iso(until),
});

/** @throws DomainError of kind `invalid` */
export function readUntil(text: string): number {
  const timeMs = isoTime.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(timeMs)) throw invalid("maintenance.until");
  return timeMs;
}
