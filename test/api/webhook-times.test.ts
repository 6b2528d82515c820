import { expect, test } from "bun:test";
import { api, eventsOf, integration, post, useWebhooks } from "./webhooks-fixture.ts";

useWebhooks();

async function pointsOf(name: string): Promise<Array<{ ts: number; value: unknown }>> {
  const [device] = (await api("GET", `/api/devices?search=${name}`)).body;
  const path = `/api/devices/${device.deviceId}/telemetry/range?from=0&to=${Date.now() + 86_400_000}`;
  return (await api("GET", path)).body.data[0].series[0].points;
}

test.each([12345, 0, "1970-01-01T00:00:10Z"])(
  "a ts of %p is the time of receipt, with a note on the event",
  async (ts) => {
    const id = await integration();
    const name = `unset-${String(ts).length}`;
    const before = Date.now();
    const body = { externalDeviceId: name, ts, telemetry: { a: 1 } };
    expect((await post({ id, body })).status).toBe(200);
    const [point] = await pointsOf(name);
    expect(point?.ts).toBeGreaterThanOrEqual(before);
    const [event] = await eventsOf(id);
    expect(event).toMatchObject({
      status: "OK",
      message: expect.stringContaining("stored at the time of receipt"),
    });
  },
);

test.each([1767225600123456, "1767225600123456789"])("a ts of %p is read", async (ts) => {
  const id = await integration();
  const name = `fine-${String(ts).length}`;
  expect((await post({ id, body: { externalDeviceId: name, ts, telemetry: { a: 1 } } })).status).toBe(200);
  expect(await pointsOf(name)).toEqual([{ ts: 1767225600123, value: 1 }]);
});
