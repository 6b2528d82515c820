import { expect, test } from "bun:test";
import { createTenantRemoval } from "../../../src/app/tenant-administration.ts";
import type { DeviceId, TenantId, UserId } from "../../../src/lib/core/ids.ts";
import { createDevicesService } from "../../../src/modules/devices/devices.service.ts";

const tenantId = "tenant" as TenantId;

/** A tenant with a user and three devices. `steps` are what happens to it. */
function createRig() {
  const steps: string[] = [];
  const devices = ["a", "b", "c"] as DeviceId[];
  let failure: DeviceId | undefined;
  const listIds = () => devices.map((deviceId) => ({ deviceId }));
  const dependents = { clear: async () => undefined };
  const events = { emit: (name: string) => void steps.push(name) };
  const deleteTelemetry = async (deviceId: DeviceId) => {
    if (deviceId === failure) throw new Error("the disk failed");
    steps.push(`telemetry of ${deviceId}`);
  };
  const transact = (work: () => unknown) => work();
  const service = createDevicesService({
    repository: {
      listIds,
      detachChildren: () => [],
      delete: (deviceId: DeviceId) => devices.splice(devices.indexOf(deviceId), 1).length > 0,
    },
    ...{ transact, events, dependents, deleteTelemetry },
  } as unknown as Parameters<typeof createDevicesService>[0]); // only what a deletion needs
  const remove = createTenantRemoval({
    database: { transact } as unknown as Parameters<typeof createTenantRemoval>[0]["database"], // without its types
    devices: { deleteAll: service.deleteAll, listIds: listIds as never },
    users: { listOf: () => [{ userId: "user" as UserId, email: "a@b.example" }] as never },
    sessions: { endAll: () => undefined as never },
    provider: { delete: () => undefined as never },
    tenants: { delete: () => void steps.push("tenant") },
    ...{ events, dependents, deleteTelemetry },
  });
  const fail = (deviceId: DeviceId | undefined) => {
    failure = deviceId;
  };
  return { remove, steps, devices, fail };
}

test("a tenant whose deletion is requested again while it runs is deleted once", async () => {
  const { remove, steps } = createRig();
  await Promise.all([remove(tenantId), remove(tenantId)]);
  expect(steps).toEqual([
    ...["device.deleted", "telemetry of a", "device.deleted", "telemetry of b"],
    ...["device.deleted", "telemetry of c", "tenant", "user.access", "user.signed-out"],
  ]);
});

test("a deletion that failed is repeated for the devices that are left, and leaves no telemetry of the others", async () => {
  const { remove, steps, devices, fail } = createRig();
  fail("b" as DeviceId);
  await expect(remove(tenantId)).rejects.toThrow("the disk failed");
  expect(steps).toContain("telemetry of a");
  expect(steps).not.toContain("tenant");
  expect(devices).toEqual(["c"] as DeviceId[]);
  fail(undefined);
  await remove(tenantId);
  expect(steps).toContain("telemetry of c");
  expect(steps.filter((step) => step === "tenant")).toHaveLength(1);
});
