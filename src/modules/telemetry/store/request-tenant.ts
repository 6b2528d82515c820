import type { Registry } from "./registry.ts";
import type { CallRequest } from "./store.protocol.ts";

/** Placeholder tenant for the gateway's own work. */
export const OWN_WORK = "";

/** Points per series from which a query takes megabytes at its start. */
const LARGE_POINTS = 10_000;

/** Returns whether a call needs so much memory at its start that only a few may run simultaneously. */
export const isLarge = ({ name, args }: CallRequest): boolean =>
  (name === "query" || name === "queryText") && args.maxDataPoints >= LARGE_POINTS;

/** Returns the tenant whose data a call reads or deletes; a call never concerns two tenants. */
export function tenantOf({ byId, devices }: Registry, { name, args }: CallRequest): string {
  switch (name) {
    case "latest":
      return devices.get(args.devices.find((no) => devices.has(no)) ?? -1)?.tenantId ?? OWN_WORK;
    case "query":
    case "queryText":
      return byId.get(args.deviceIds.find((id) => byId.has(id)) ?? "")?.tenantId ?? OWN_WORK;
    case "scan":
    case "deleteRange":
      return byId.get(args.deviceId)?.tenantId ?? OWN_WORK;
    case "keys":
      if ("tenantId" in args) return args.tenantId;
      return byId.get(args.deviceIds.find((id) => byId.has(id)) ?? "")?.tenantId ?? OWN_WORK;
    case "deleteDevice":
      return devices.get(args.no)?.tenantId ?? OWN_WORK;
    default:
      return OWN_WORK;
  }
}
