import type { Registry } from "./registry.ts";
import type { CallRequest } from "./store.protocol.ts";

/** Whose data a call reads; empty for the gateway's own work. A call never reads from two tenants. */
export function tenantOf({ byId, devices }: Registry, { name, args }: CallRequest): string {
  switch (name) {
    case "latest":
      return devices.get(args.devices.find((no) => devices.has(no)) ?? -1)?.tenantId ?? "";
    case "query":
      return byId.get(args.deviceIds.find((id) => byId.has(id)) ?? "")?.tenantId ?? "";
    case "scan":
      return byId.get(args.deviceId)?.tenantId ?? "";
    case "keys":
      if ("tenantId" in args) return args.tenantId;
      return byId.get(args.deviceIds.find((id) => byId.has(id)) ?? "")?.tenantId ?? "";
    default:
      return "";
  }
}
