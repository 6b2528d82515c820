import { afterAll, beforeAll, expect, test } from "bun:test";
import { UPLINK_BYTES_MAX } from "../../src/modules/uplinks/uplink-space.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until, untilAnswer } from "../support/until.ts";

/** More uplinks than one site's share has room for. */
const STALLED = 12;
const TEXTS = 40;
const TEXT = "measured ".repeat(6_000);

let fixture: TestApp;
let sink: ReturnType<typeof Bun.serve>;
const received: string[] = [];

beforeAll(async () => {
  sink = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const text = await request.text();
      if (text.includes('"kind":"test"')) return new Response(null, { status: 204 });
      // It takes the requests of one site alone.
      if (new URL(request.url).pathname === "/stalled") return new Promise<Response>(() => undefined);
      received.push(...text.split("\n").filter((line) => line !== ""));
      return new Response(null, { status: 204 });
    },
  });
  fixture = await createTestApp({ config: { outbound_allow: "127.0.0.1", metrics_token: "scrape" } });
});

afterAll(async () => {
  await fixture.stop();
  await sink.stop(true);
});

async function createHistory(token: string): Promise<void> {
  const device = await fixture.createDevice(token, { name: "Logger" });
  for (let first = 0; first < TEXTS; first += 20) {
    const items = Array.from({ length: 20 }, (_, row) => ({
      ts: 1_700_000_000_000 + first + row,
      telemetry: { log: `${first + row} ${TEXT}` },
    }));
    const { status } = await fixture.call("POST", `/api/v1/${device.token}/telemetry/batch`, {
      body: { items },
    });
    expect(status).toBe(200);
  }
}

const createUplink = (token: string, path: string) =>
  fixture.call("POST", "/api/uplinks", {
    token,
    body: {
      name: path,
      target: { type: "HTTP", url: `http://127.0.0.1:${sink.port}/${path}`, gzip: false },
      content: { telemetry: true, attributes: false, alarms: false, devices: false },
      start: "BEGINNING",
    },
  });

const metric = async (name: string): Promise<number> => {
  const { text } = await fixture.call("GET", "/metrics", { token: "scrape" });
  return Number(new RegExp(`^lineside_${name} (\\d+)`, "m").exec(text)?.[1]);
};

test("uplinks whose targets read nothing wait for memory, and those of another site send on", async () => {
  const { token: stalled } = await fixture.signIn("TENANT_ADMIN", { tenant: "stalled" });
  const { token: other } = await fixture.signIn("TENANT_ADMIN", { tenant: "other" });
  await createHistory(stalled);
  await createHistory(other);
  for (let index = 0; index < STALLED; index++)
    expect((await createUplink(stalled, "stalled")).status).toBe(201);
  await untilAnswer(
    () => metric("uplinks_waiting_for_memory"),
    (count) => count > 0,
  );
  const { body } = await fixture.call("GET", "/api/uplinks", { token: stalled });
  const states = new Set((body as { state: string }[]).map(({ state }) => state));
  expect(states).toContain("WAITING_FOR_MEMORY");
  expect((await createUplink(other, "other")).status).toBe(201);
  await until(() => received.length === TEXTS);
  expect(received.map((line) => JSON.parse(line).values.log.split(" ")[0]).map(Number)).toEqual(
    Array.from({ length: TEXTS }, (_, row) => row),
  );
  const bytes = await metric("uplink_bytes_in_flight");
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThanOrEqual(UPLINK_BYTES_MAX.tenant);
});
