import { expect, test } from "bun:test";
import type { DeviceId, TenantId, UserId } from "../../../src/lib/core/ids.ts";
import { createHistoryService } from "../../../src/modules/ingest/history.service.ts";
import type { ScanChunk } from "../../../src/modules/telemetry/store/store.types.ts";
import type { Principal } from "../../../src/modules/users/users.types.ts";
import { createTestApp } from "../../support/test-app.ts";

const deviceId = "device" as DeviceId;
const T0 = Date.UTC(2026, 0, 1);

test("an export that is in progress ends when the device is taken away from its reader", async () => {
  const granted = new Set([deviceId]);
  const principal: Principal = {
    userId: "user" as UserId,
    email: "reader@plant.example",
    tenantId: "tenant" as TenantId,
    role: "TENANT_READ_ONLY",
    sessionId: "session",
    canAcknowledgeAlarms: false,
    devices: granted,
  };
  async function* scan(): AsyncGenerator<ScanChunk> {
    for (let ts = T0; ; ts++)
      yield {
        deviceId,
        ts: new Float64Array([ts]),
        columns: [{ key: "a", at: () => ts }],
        position: {} as ScanChunk["position"], // nobody resumes here
      } as ScanChunk;
  }
  const history = createHistoryService({
    events: { emit: () => undefined },
    keysOf: () => new Map(),
    devices: {
      ensureVisible: (_, id) => {
        if (!granted.has(id as DeviceId)) throw new Error("not found");
        return id as DeviceId;
      },
    },
    directory: undefined as never, // an export asks neither
    ingest: undefined as never,
    store: { scan, keys: async () => ["a"] },
    clock: undefined as never,
  });
  const pieces = await history.export(principal, deviceId, {
    format: "ndjson",
    hasUnits: false,
    keys: [],
    from: 0,
    to: 9,
    signal: new AbortController().signal,
  });
  expect(Buffer.from((await pieces.next()).value ?? []).toString()).toBe(
    `{"ts":${T0},"values":{"a":${T0}}}\n`,
  );
  granted.delete(deviceId);
  expect(await pieces.next().catch((error: Error) => error.message)).toBe("not found");
});

test("a user who is disabled sees nothing at that moment, and everything again when enabled", async () => {
  const fixture = await createTestApp();
  try {
    const owner = await fixture.signIn("TENANT_OWNER");
    const { user } = await fixture.signIn("TENANT_RW");
    const { users } = fixture.app.services;
    const change = (status: string) =>
      fixture.call("PATCH", `/api/users/${user.userId}`, { token: owner.token, body: { status } });
    expect(users.visibleDevices(user.userId)).toBe("all");
    expect((await change("DISABLED")).status).toBe(200);
    expect(users.visibleDevices(user.userId)).toEqual(new Set());
    expect((await change("ACTIVE")).status).toBe(200);
    expect(users.visibleDevices(user.userId)).toBe("all");
  } finally {
    await fixture.stop();
  }
});
