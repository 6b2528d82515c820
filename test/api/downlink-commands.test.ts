import { describe, expect, test } from "bun:test";
import {
  call,
  chirpstackTakes,
  fixture,
  KEY,
  last,
  network,
  number,
  owner,
  report,
  setUp,
  useDownlinks,
} from "./downlinks-fixture.ts";

useDownlinks();

const DEV_EUI = "0102030405060708";

/** What the gateway's commands look like to people. */
async function command(deviceId: string, body: Record<string, unknown>) {
  const apiResponse = await call("POST", `/api/devices/${deviceId}/commands`, body);
  expect([apiResponse.status, apiResponse.text]).toEqual([201, expect.any(String)]);
  return {
    commandId: apiResponse.body.commandId as string,
    async state() {
      return (await call("GET", `/api/devices/${deviceId}/commands/${apiResponse.body.commandId}`)).body;
    },
  };
}

describe("a device's command", () => {
  test("becomes a downlink, and ends when the device acknowledges it", async () => {
    const { deviceId, devEui, integrationId } = await setUp("CHIRPSTACK");
    chirpstackTakes("command-1");
    const received = { deviceInfo: { devEui, applicationId: "app" }, fPort: 1, fCnt: 1, object: { t: 1 } };
    await report("lorawan-a", integrationId, { ...received, deduplicationId: "u1" }, "?event=up");
    const before = network.received.length;
    const input = await command(deviceId, { method: "downlink", params: { fPort: 7, data: "AQID" } });
    await network.until(before + 1);
    expect(last().body).toEqual({ queueItem: { confirmed: true, fPort: 7, data: "AQID" } });
    expect((await input.state()).status).toBe("SENT");
    const about = { deviceInfo: { devEui }, queueItemId: "command-1" };
    await report("lorawan-a", integrationId, { ...about, downlinkId: 1 }, "?event=txack");
    expect((await input.state()).status).toBe("DELIVERED");
    await report("lorawan-a", integrationId, { ...about, acknowledged: true }, "?event=ack");
    expect(await input.state()).toMatchObject({ status: "SUCCESSFUL", response: { acknowledged: true } });
  });

  test("fails when the device does not acknowledge it", async () => {
    const { deviceId, devEui, integrationId } = await setUp("CHIRPSTACK");
    chirpstackTakes("command-2");
    await report(
      "lorawan-a",
      integrationId,
      { deviceInfo: { devEui, applicationId: "app" }, fPort: 1, object: { t: 1 }, deduplicationId: "u2" },
      "?event=up",
    );
    const before = network.received.length;
    const input = await command(deviceId, { method: "setValue", params: { fPort: 7, hex: "00" } });
    await network.until(before + 1);
    await report(
      "lorawan-a",
      integrationId,
      { deviceInfo: { devEui }, queueItemId: "command-2", acknowledged: false },
      "?event=ack",
    );
    expect(await input.state()).toMatchObject({
      status: "FAILED",
      error: expect.stringContaining("acknowledge"),
      errorText: { code: "downlink_error.not_acknowledged", params: {} },
      response: null,
    });
  });

  test("without a frame becomes an object for the codec", async () => {
    const { deviceId, devEui, integrationId } = await setUp("CHIRPSTACK", { fPort: 4, confirmed: false });
    chirpstackTakes("command-3");
    await report(
      "lorawan-a",
      integrationId,
      { deviceInfo: { devEui, applicationId: "app" }, fPort: 1, object: { t: 1 }, deduplicationId: "u3" },
      "?event=up",
    );
    const before = network.received.length;
    const input = await command(deviceId, { key: "led", value: "on" });
    await network.until(before + 1);
    expect(last().body).toEqual({ queueItem: { confirmed: false, fPort: 4, object: { led: "on" } } });
    // Nobody says more of one that is not confirmed.
    await report(
      "lorawan-a",
      integrationId,
      { deviceInfo: { devEui }, queueItemId: "command-3", downlinkId: 1 },
      "?event=txack",
    );
    expect(await input.state()).toMatchObject({ status: "SUCCESSFUL", response: { transmitted: true } });
  });

  test("that is no downlink fails with a reason", async () => {
    const { deviceId, devEui, integrationId } = await setUp("CHIRPSTACK");
    await report(
      "lorawan-a",
      integrationId,
      { deviceInfo: { devEui, applicationId: "app" }, fPort: 1, object: { t: 1 }, deduplicationId: "u4" },
      "?event=up",
    );
    const input = await command(deviceId, { method: "downlink", params: { data: "no base64!" } });
    expect(await input.state()).toMatchObject({ status: "FAILED", error: expect.stringContaining("base64") });
  });
});

describe("a downlink that cannot be sent is refused", () => {
  test("field by field", async () => {
    const { send, deviceId, devEui } = await setUp("CHIRPSTACK");
    const rows: [Record<string, unknown>, string][] = [
      [{ fPort: 1, data: "AA==" }, "`deviceId` or `devEui`"],
      [{ deviceId, devEui, fPort: 1, data: "AA==" }, "`deviceId` or `devEui`"],
      [{ devEui: "123", fPort: 1, data: "AA==" }, "16 hexadecimal"],
      [{ deviceId, data: "AA==" }, "fPort"],
      [{ deviceId, fPort: 0, data: "AA==" }, "fPort"],
      [{ deviceId, fPort: 224, data: "AA==" }, "fPort"],
      [{ deviceId, fPort: 1 }, "data"],
      [{ deviceId, fPort: 1, data: "AA==", hex: "00" }, "data"],
      [{ deviceId, fPort: 1, data: "A*==" }, "base64"],
      [{ deviceId, fPort: 1, hex: "0" }, "hex"],
      [{ deviceId, fPort: 1, hex: "00".repeat(243) }, "242"],
      [{ deviceId, fPort: 1, object: [1] }, "object"],
    ];
    const before = network.received.length;
    for (const [body, part] of rows) {
      const response = await send(body);
      expect([response.status, response.text]).toEqual([400, expect.stringContaining(part)]);
    }
    expect(network.received.length).toBe(before);
  });

  test("missing settings are named", async () => {
    const { deviceId } = await setUp("CHIRPSTACK");
    const create = async (type: string, settings_json: unknown) =>
      (await call("POST", "/api/integrations", { name: "bare", type, settings_json })).body.integrationId;
    const rows = [
      [await create("HTTP", {}), "ChirpStack and The Things Stack"],
      [await create("CHIRPSTACK", {}), "settings_json.downlink"],
      [await create("CHIRPSTACK", { downlink: { url: network.url } }), "apiKey"],
      [await create("CHIRPSTACK", { downlink: { via: "mqtt" } }), "applicationId"],
      [await create("THE_THINGS_STACK", { downlink: { url: network.url, apiKey: KEY } }), "applicationId"],
      [
        await create("THE_THINGS_STACK", { downlink: { url: network.url, apiKey: KEY, applicationId: "a" } }),
        "webhookId",
      ],
    ];
    for (const [integrationId, part] of rows) {
      const response = await call("POST", `/api/integrations/${integrationId}/downlink`, {
        deviceId,
        fPort: 1,
        data: "AA==",
      });
      expect([response.status, response.text]).toEqual([400, expect.stringContaining(part)]);
    }
  });

  test("a device without a dev EUI, an unknown one, and a paused integration", async () => {
    const { send, deviceId, integrationId } = await setUp("CHIRPSTACK");
    const plain = await fixture.createDevice(owner, { name: "no radio" });
    expect((await send({ deviceId: plain.deviceId, fPort: 1, data: "AA==" })).status).toBe(400);
    expect((await send({ deviceId: "nobody", fPort: 1, data: "AA==" })).status).toBe(404);
    await call("POST", `/api/integrations/${integrationId}/pause`);
    expect((await send({ deviceId, fPort: 1, data: "AA==" })).status).toBe(409);
  });
});

describe("permissions for downlinks", () => {
  test("administrators send, others and other tenants do not", async () => {
    const { integrationId, deviceId } = await setUp("CHIRPSTACK");
    chirpstackTakes("c");
    const path = `/api/integrations/${integrationId}/downlink`;
    const body = { deviceId, fPort: 1, data: "AA==" };
    expect((await fixture.call("POST", path, { body })).status).toBe(401);
    for (const [role, status] of [
      ["TENANT_READ_ONLY", 403],
      ["TENANT_RW", 403],
      ["TENANT_ADMIN", 201],
    ] as const)
      expect((await call("POST", path, body, (await fixture.signIn(role)).token)).status).toBe(status);
    const stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
    expect((await call("POST", path, body, stranger)).status).toBe(404);
    expect((await call("GET", `${path}s`, undefined, stranger)).status).toBe(404);
  });

  test("a user who may not see a device sends it nothing, and lists nothing", async () => {
    const { integrationId, deviceId } = await setUp("CHIRPSTACK");
    const mine = await fixture.createDevice(owner, { name: `mine ${number}`, lorawanDevEui: DEV_EUI });
    const limited = (await fixture.signIn("TENANT_ADMIN", { devices: [mine.deviceId] })).token;
    const path = `/api/integrations/${integrationId}/downlink`;
    const as = (device: object) => call("POST", path, { ...device, fPort: 1, data: "AA==" }, limited);
    expect((await as({ deviceId })).status).toBe(404);
    expect((await as({ devEui: "ffffffffffffffff" })).status).toBe(403);
    expect((await as({ deviceId: mine.deviceId })).status).toBe(201);
    expect((await call("GET", `${path}s`, undefined, limited)).status).toBe(403);
  });
});

describe("rules and jobs", () => {
  test("send downlinks the same way", async () => {
    const { deviceId, devEui, integrationId } = await setUp("CHIRPSTACK");
    chirpstackTakes("by-rule");
    const profile = await call("POST", "/api/device-profiles", {
      name: `siren ${number}`,
      alarmRules: [
        {
          alarmType: "hot",
          createRules: [{ severity: "MAJOR", condition: { key: "temperature", op: "GT", value: 30 } }],
          actions: [
            {
              on: "CREATED",
              type: "integration_downlink",
              downlink: { fPort: 9, confirmed: false, hex: "ff" },
            },
          ],
        },
      ],
    });
    expect([profile.status, profile.text]).toEqual([201, expect.any(String)]);
    await call("PATCH", `/api/devices/${deviceId}`, { profileId: profile.body.profileId });
    const before = network.received.length;
    const hot = {
      deviceInfo: { devEui, applicationId: "app" },
      deduplicationId: "hot",
      object: { temperature: 31 },
    };
    expect((await report("lorawan-a", integrationId, hot, "?event=up")).status).toBe(200);
    await network.until(before + 1);
    expect(last()).toMatchObject({ path: `/api/devices/${devEui}/queue` });
    expect(last().body).toEqual({ queueItem: { confirmed: false, fPort: 9, data: "/w==" } });

    const job = await call("POST", "/api/scheduler", {
      name: "flush",
      schedule: { kind: "once", at: new Date(Date.now() + 3_600_000).toISOString(), timezone: "UTC" },
      action: {
        type: "command",
        deviceIds: [deviceId],
        command: { method: "downlink", params: { fPort: 2, object: { flush: true } } },
      },
    });
    expect([job.status, job.text]).toEqual([201, expect.any(String)]);
    expect((await call("POST", `/api/scheduler/${job.body.jobId}/run`)).status).toBeLessThan(300);
    await network.until(before + 2);
    expect(last().body).toEqual({ queueItem: { confirmed: true, fPort: 2, object: { flush: true } } });
  });
});

test("commands that are queued for an integration fail when it is deleted", async () => {
  const { deviceId, integrationId } = await setUp("CHIRPSTACK", { url: "http://127.0.0.1:1", fPort: 1 });
  const other = await setUp("CHIRPSTACK");
  // Not heard yet, and more than one leads to it: the first of them is the default.
  const devEui = (await call("GET", `/api/devices/${deviceId}`)).body.lorawanDevEui;
  const received = { deviceInfo: { devEui, applicationId: "app" }, deduplicationId: "x", object: { t: 1 } };
  expect((await report("lorawan-a", integrationId, received, "?event=up")).status).toBe(200);
  const input = await command(deviceId, { method: "downlink", params: { hex: "01" } });
  expect((await input.state()).status).toBe("SENT");
  expect((await call("DELETE", `/api/integrations/${integrationId}`)).status).toBe(200);
  expect(await input.state()).toMatchObject({ status: "FAILED", error: expect.stringContaining("deleted") });
  expect(other.integrationId).not.toBe(integrationId);
});

test("commands leave room for direct downlinks, per device and per integration", async () => {
  const { deviceId, devEui, integrationId, send } = await setUp("CHIRPSTACK", { url: "http://127.0.0.1:1" });
  const text = "x".repeat(16_000);
  const devices = [{ deviceId, devEui }];
  for (let n = 0; n < 5; n++) {
    const another = `ffff00000000000${n}`;
    const device = await fixture.createDevice(owner, { name: another, lorawanDevEui: another });
    devices.push({ deviceId: device.deviceId, devEui: another });
  }
  for (const device of devices) {
    const up = {
      deviceInfo: { devEui: device.devEui, applicationId: "app" },
      deduplicationId: device.devEui,
    };
    await report("lorawan-a", integrationId, { ...up, object: { t: 1 } }, "?event=up");
    for (let n = 0; n < 95; n++)
      await command(device.deviceId, { method: "downlink", params: { fPort: 1, object: { text } } });
  }
  const waiting = (await call("GET", `/api/integrations/${integrationId}/downlinks?limit=1000`)).body;
  const countOf = (wanted: string) =>
    waiting.filter((downlink: { devEui: string }) => downlink.devEui === wanted).length;
  expect(countOf(devEui)).toBe(90); // of 100
  expect(waiting.length).toBeLessThan(507); // as many as fit
  expect((await send({ deviceId, fPort: 1, object: { text } })).status).toBe(201);
  await call("DELETE", `/api/integrations/${integrationId}`);
});

test("commands that wait for room in a deleted integration stay queued for another way", async () => {
  const others = (await call("GET", "/api/integrations?limit=100")).body;
  for (const { integrationId: id } of others) await call("POST", `/api/integrations/${id}/pause`);
  const { deviceId, devEui, integrationId } = await setUp("CHIRPSTACK", { url: "http://127.0.0.1:1" });
  const received = { deviceInfo: { devEui, applicationId: "app" }, deduplicationId: "y", object: { t: 1 } };
  expect((await report("lorawan-a", integrationId, received, "?event=up")).status).toBe(200);
  const params = { fPort: 1, hex: "01" };
  for (let n = 0; n < 110; n++) await command(deviceId, { method: "downlink", params });
  expect((await call("DELETE", `/api/integrations/${integrationId}`)).status).toBe(200);
  const listed = (await call("GET", `/api/devices/${deviceId}/commands?limit=200`)).body;
  const countOf = (wanted: string) =>
    listed.filter(({ status }: { status: string }) => status === wanted).length;
  expect([countOf("FAILED"), countOf("QUEUED")]).toEqual([90, 20]);
});
