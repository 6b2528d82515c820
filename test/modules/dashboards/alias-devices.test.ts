import { expect, test } from "bun:test";
import type { DeviceId, TenantId, UserId } from "../../../src/lib/core/ids.ts";
import { createAliasDevices } from "../../../src/modules/dashboards/alias-devices.ts";
import type { Principal } from "../../../src/modules/users/users.types.ts";

const principal: Principal = {
  userId: "user" as UserId,
  tenantId: "tenant" as TenantId,
  email: "a@b.c",
  role: "TENANT_READ_ONLY",
  sessionId: "",
  canAcknowledgeAlarms: false,
  devices: "all",
};
const device = { deviceId: "device" as DeviceId, name: "", deviceType: "sensor", assetId: null };

test("equal lists of a dashboard are read once, and others by themselves", () => {
  const filters: unknown[] = [];
  let gets = 0;
  const aliasDevices = createAliasDevices({
    devices: {
      get: () => {
        gets++;
        return device as never;
      },
      list: (_, filter) => {
        filters.push(filter);
        return { items: [device], total: 1 } as never;
      },
    },
    currentOf: () => ({ active: true, state: "ACTIVE" }),
  });
  const devicesOf = aliasDevices(principal, {});
  const alias = (index: number, fields: object) => ({
    id: `a${index}`,
    name: `n${index}`,
    type: "",
    ...fields,
  });
  const found = [
    ...Array.from({ length: 100 }, (_, index) => alias(index, { type: "deviceType", deviceType: "sensor" })),
    alias(100, { type: "deviceType", deviceType: "meter" }),
    alias(101, { type: "deviceGroup", tag: "sensor" }),
    alias(102, { type: "gatewayChildren", gatewayId: "g", index: 1 }),
    alias(104, { type: "deviceList", deviceIds: ["g", "h"] }),
    alias(105, { type: "singleDevice", deviceId: "h" }),
    alias(103, { type: "gatewayChildren", gatewayId: "g", index: 2 }),
  ].map(devicesOf);
  expect(found.every(([first]) => first?.deviceId === device.deviceId)).toBe(true);
  expect([filters.length, gets]).toEqual([4, 2]);
});
