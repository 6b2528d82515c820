import { describe, expect, test } from "bun:test";
import { eventsOf, integration, latestOf, post, useWebhooks } from "./webhooks-fixture.ts";

useWebhooks();

/** Webhooks from network servers, relays and gateways in the field: stored values, responses and notes. */

let count = 0xf00;
const nextEui = () => (++count).toString(16).padStart(16, "0");

const types = { "lorawan-a": "CHIRPSTACK", "lorawan-b": "THE_THINGS_STACK", generic: "HTTP" } as const;

/** Posts a body to a new integration, and returns the response, the event and the device's stored values. */
async function send(
  kind: keyof typeof types,
  body: unknown,
  { query = "", settings = {} }: { query?: string; settings?: object } = {},
) {
  const id = await integration({ name: crypto.randomUUID(), type: types[kind], settings_json: settings });
  const { status, body: response } = await post({ kind, id, body, query });
  const [event] = await eventsOf(id);
  const stored = event?.result?.stored ?? [];
  return {
    status,
    message: response.message as string,
    event,
    stored,
    latest: () => latestOf(stored[0]?.name),
  };
}

describe("ChirpStack", () => {
  const relayed = (devEui: string) => ({
    deduplicationId: crypto.randomUUID(),
    time: "2026-11-20T10:00:00Z",
    deviceInfo: { deviceName: `relayed ${devEui}`, devEui },
    ...{ fCnt: 4, fPort: 1, data: "Fg==", object: { temperature: 21.5 }, level: null, code: null },
    ...{ queueItemId: "", acknowledged: false, gatewayId: null, location: null },
  });

  test("a relay that adds empty fields and drops the query sends an uplink", async () => {
    const { status, event, latest } = await send("lorawan-a", relayed(nextEui()));
    expect([status, event.status]).toEqual([200, "OK"]);
    expect(await latest()).toMatchObject({ temperature: 21.5, radio_fCnt: 4, radio_fPort: 1 });
  });

  test("no frame counter and no port are made up", async () => {
    const body = { ...relayed(nextEui()), fPort: null, fCnt: null, data: null, rxInfo: null };
    const { latest } = await send("lorawan-a", body, { query: "?event=up" });
    expect(await latest()).toEqual({ temperature: 21.5 });
  });

  test("gateways with their own server report the time, the gateway and the spreading factor", async () => {
    const body = {
      ...{ applicationID: "1", deviceName: "m", devEUI: "24e124136b5022a2", data: "A2fqAARoTwUAAA==" },
      ...{ fCnt: 1, fPort: 85, time: "2026-11-20T10:00:00Z" },
      rxInfo: [{ mac: "24e124fffef54092", loRaSNR: 13.8, rssi: -51 }],
      txInfo: { frequency: 868_100_000, dataRate: { modulation: "LORA", spreadFactor: 7 } },
    };
    const { status, stored, latest } = await send("lorawan-a", body);
    expect([status, stored[0].ts]).toEqual([200, Date.parse("2026-11-20T10:00:00Z")]);
    expect(await latest()).toMatchObject({
      radio_gateway: "24e124fffef54092",
      radio_spreadingFactor: 7,
      radio_snr: 13.8,
      radio_rssi: -51,
    });
  });

  test.each(["", "?event=up"])("a gateway that decodes itself sends values: %p", async (query) => {
    const body = { devEUI: nextEui(), deviceName: `EM300${query}`, temperature: 23.4, battery: 100 };
    const { status, latest } = await send("lorawan-a", body, { query });
    expect([status, await latest()]).toEqual([200, { temperature: 23.4, battery: 100 }]);
  });

  test("hexadecimal digits are read by the setting, refused, or noted", async () => {
    const body = (data: string) => ({ ...relayed(nextEui()), object: null, data });
    const odd = await send("lorawan-a", body("0367D20004685A"), { query: "?event=up" });
    expect([odd.status, odd.message]).toEqual([400, expect.stringContaining("`frameEncoding`")]);
    const even = await send("lorawan-a", body("0367d20004685a01"), { query: "?event=up" });
    expect(even.event.message).toContain("looks hexadecimal");
    for (const data of ["0367D20004685A", "0367d20004685a01"]) {
      const settings = { frameEncoding: "hex" };
      const { latest } = await send("lorawan-a", body(data), { query: "?event=up", settings });
      expect(await latest()).toMatchObject({ payload_hex: data.toLowerCase() });
    }
  });

  test("the refusal of an event list asks for one object", async () => {
    const { status, message } = await send("lorawan-a", [relayed(nextEui()), relayed(nextEui())]);
    expect([status, message]).toEqual([400, expect.stringContaining("list")]);
    expect(message).not.toContain("Protobuf");
  });
});

test("warnings of a codec of The Things Stack are a note", async () => {
  const devEui = nextEui();
  const { event, latest } = await send("lorawan-b", {
    end_device_ids: { device_id: `d-${devEui}`, dev_eui: devEui },
    uplink_message: {
      ...{ f_port: 1, frm_payload: "Fg==", decoded_payload: { t: 1 } },
      decoded_payload_warnings: ["battery low"],
    },
  });
  expect([event.status, event.message]).toEqual(["OK", expect.stringContaining("battery low")]);
  expect(await latest()).toMatchObject({ t: 1 });
});

describe("webhooks of the type HTTP", () => {
  test("one more field does not change the others", async () => {
    const body = { externalDeviceId: "p1", telemetry: { t: 21.5, h: 40 }, rssi: -70 };
    const { latest } = await send("generic", body);
    expect(await latest()).toEqual({ t: 21.5, h: 40, rssi: -70 });
  });

  test.each(["1795168800123456789", "1795168800123456"])("a ts of %s is read", async (ts) => {
    const raw = `{"externalDeviceId":"e${ts.length}","ts":${ts},"telemetry":{"a":1}}`;
    const id = await integration({ name: ts });
    const { status } = await post({ id, raw, headers: { "content-type": "application/json" } });
    const [event] = await eventsOf(id);
    expect([status, event.result.stored[0].ts]).toEqual([200, 1795168800123]);
  });
});
