import { beforeAll, describe, expect, test } from "bun:test";
import { frameSources } from "../../src/lib/devices/frame-sources.ts";
import { untilAnswer } from "../support/until.ts";
import { call, fixture, tokens, useCodecs } from "./codecs-fixture.ts";

useCodecs();

describe("an integration's codecs", () => {
  const decodes = (text: string) =>
    `function decodeUplink(input) { return { data: { by: "${text}", v: input.bytes[0] } }; }`;
  const uplink = (devEui: string, deviceProfileName: string | undefined, data: string, object?: unknown) => ({
    deduplicationId: crypto.randomUUID(),
    time: "2026-03-01T12:00:00Z",
    deviceInfo: { devEui, deviceName: devEui, ...(deviceProfileName !== undefined && { deviceProfileName }) },
    fPort: 2,
    data,
    ...(object !== undefined && { object }),
  });
  const createdItem: Record<string, string> = {};
  let integrationId = "";
  let secret = "";

  beforeAll(async () => {
    for (const name of ["valves", "meters", "others"])
      createdItem[name] = (await call("POST", "", { name, source: decodes(name) })).body.codecId;
    const created = await fixture.call("POST", "/api/integrations", {
      token: tokens.owner,
      body: {
        name: "site",
        type: "CHIRPSTACK",
        status: "active",
        settings_json: {
          autoCreateDevice: true,
          radioMetadata: false,
          codecs: [
            { codecId: createdItem.valves, deviceType: "Vicki" },
            { codecId: createdItem.meters, deviceType: "meter here" },
            { codecId: createdItem.others },
          ],
        },
        mappingSteps: [{ type: "scale_keys", keys: ["v"], factor: 10 }],
      },
    });
    expect([created.status, created.text]).toEqual([201, expect.any(String)]);
    integrationId = created.body.integrationId;
    secret = (await fixture.call("POST", "/api/tenant/integration/rotate-secret", { token: tokens.owner }))
      .body.secret;
  });

  const post = (body: unknown) =>
    fixture.call("POST", `/api/v1/integrations/lorawan-a/${integrationId}/telemetry?event=up`, {
      headers: { "x-webhook-secret": secret },
      body,
    });
  /** The newest event, once it is processed: a sender gets its answer after two seconds at the latest. */
  const newest = async (id = integrationId) => {
    const url = `/api/integrations/${id}/events?limit=1`;
    const read = async () => (await fixture.call("GET", url, { token: tokens.owner })).body[0];
    return untilAnswer(read, ({ status }) => status !== "PENDING");
  };

  test("decode each device's frames by its type, before the mapping, instead of the network's values", async () => {
    expect((await post(uplink("0000000000000001", "Vicki", "Cw==", { by: "network" }))).status).toBe(200);
    expect((await newest()).result.stored).toMatchObject([{ telemetry: { by: "valves", v: 110 } }]);
    const meter = { name: "m", deviceType: "meter here", lorawanDevEui: "0000000000000002" };
    await fixture.createDevice(tokens.owner, meter);
    await post(uplink("0000000000000002", undefined, "DA=="));
    expect((await newest()).result.stored).toMatchObject([{ telemetry: { by: "meters", v: 120 } }]);
    await post(uplink("0000000000000003", "something else", "DQ=="));
    expect((await newest()).result.stored).toMatchObject([{ telemetry: { by: "others", v: 130 } }]);
  });

  test("are shown where they are used, and cannot be deleted there", async () => {
    expect((await call("GET", `/${createdItem.valves}`)).body.usedBy).toEqual([
      { integrationId, name: "site" },
    ]);
    const refused = await call("DELETE", `/${createdItem.valves}`);
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining("site")]);
  });

  test("that fail keep the message, which goes through once the codec is mended", async () => {
    await call("PATCH", `/${createdItem.others}`, {
      source: "function decodeUplink() { throw new Error('not this one'); }",
    });
    await post(uplink("0000000000000003", undefined, "Dg=="));
    const failed = await newest();
    expect(failed).toMatchObject({ status: "ERROR", stage: "script", replayable: true });
    expect(failed.message).toContain("Codec “others”, line 1: The script failed: Error: not this one.");
    await call("PATCH", `/${createdItem.others}`, { source: decodes("mended") });
    const replayed = await fixture.call(
      "POST",
      `/api/integrations/${integrationId}/events/${failed.eventId}/replay`,
      { token: tokens.owner },
    );
    expect(replayed.status).toBeLessThan(300);
    expect((await newest()).result.stored).toMatchObject([{ telemetry: { by: "mended", v: 140 } }]);
  });

  test("that overrun again and again are not run for a while, which the integration shows, and again once it is started", async () => {
    const kept = decodes("mended");
    await call("PATCH", `/${createdItem.others}`, { source: "function decodeUplink() { for (;;); }" });
    for (let n = 0; n < 4; n++) await post(uplink("0000000000000003", undefined, "Dg=="));
    expect((await newest()).message).toContain("The script overran too often");
    const blocked = async () =>
      (await fixture.call("GET", `/api/integrations/${integrationId}`, { token: tokens.owner })).body
        .scriptBlocked;
    expect(await blocked()).toContain("100 ms");
    for (const verb of ["pause", "start"])
      await fixture.call("POST", `/api/integrations/${integrationId}/${verb}`, { token: tokens.owner });
    expect(await blocked()).toBeNull();
    await call("PATCH", `/${createdItem.others}`, { source: kept });
    await post(uplink("0000000000000003", undefined, "Dg=="));
    expect((await newest()).status).toBe("OK");
  });

  test("lose nothing of more at once than scripts have room for", async () => {
    const responses = await Promise.all(
      Array.from({ length: 120 }, (_, n) =>
        post(uplink("0000000000000001", "Vicki", Buffer.of(n).toString("base64"))),
      ),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    const events = `/api/integrations/${integrationId}/events?limit=120`;
    const { body } = await fixture.call("GET", events, { token: tokens.owner });
    expect(body.filter(({ status }: { status: string }) => !["OK", "PENDING"].includes(status))).toEqual([]);
  });

  test("do not wait for a trial", async () => {
    await post(uplink("0000000000000001", "Vicki", "AQ=="));
    let isOver = false;
    const endless = call("POST", "/preview", { source: "new Array(1e9).join('y')" }).finally(() => {
      isOver = true;
    });
    const responses = await Promise.all(
      [1, 2, 3].map((n) => post(uplink("0000000000000001", "Vicki", `A${n}==`))),
    );
    expect([isOver, ...responses.map(({ status }) => status)]).toEqual([false, 200, 200, 200]);
    expect((await newest()).status).toBe("OK");
    expect((await endless).body.error.code).toBe("script.overrun");
  });

  test("are tried in a preview too", async () => {
    const { body } = await fixture.call("POST", "/api/integrations/preview", {
      token: tokens.owner,
      body: {
        type: "CHIRPSTACK",
        settings_json: { autoCreateDevice: true, codecs: [{ codecId: createdItem.valves }] },
        payload: uplink("0000000000000009", "any", "AQ=="),
        event: "up",
      },
    });
    expect(body.results).toMatchObject([{ readings: [{ values: { by: "valves", v: 1 } }] }]);
  });

  test("must be the tenant's own", async () => {
    const theirs = await call("POST", "", { name: "theirs", source: decodes("theirs") }, "stranger");
    for (const codecId of ["nothing", theirs.body.codecId]) {
      const response = await fixture.call("PATCH", `/api/integrations/${integrationId}`, {
        token: tokens.owner,
        body: { settings_json: { codecs: [{ codecId }] } },
      });
      expect(response.status).toBe(404);
    }
  });

  test("decode the frames of any network server, by the type HTTP", async () => {
    const { body } = await fixture.call("POST", "/api/integrations", {
      token: tokens.owner,
      body: {
        name: "thingpark",
        type: "HTTP",
        status: "active",
        settings_json: {
          ...frameSources.thingpark,
          autoCreateDevice: true,
          codecs: [{ codecId: createdItem.others }],
        },
      },
    });
    const send = (uplink: object) =>
      fixture.call("POST", `/api/v1/integrations/generic/${body.integrationId}/telemetry`, {
        headers: { "x-webhook-secret": secret },
        body: uplink,
      });
    const uplink = { DevEUI: "20635F0000000001", FPort: "1", payload_hex: "9e1c" };
    expect((await send({ DevEUI_uplink: uplink })).status).toBe(200);
    expect((await newest(body.integrationId)).result.stored).toMatchObject([{ telemetry: { v: 0x9e } }]);
    expect((await send({ DevEUI_location: {} })).status).toBe(200);
  });
});
