import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until, untilAnswer } from "../support/until.ts";

let fixture: TestApp;
let sink: ReturnType<typeof Bun.serve>;
let admin: string;
/** Lines that the sink has stored. */
let lines: Record<string, unknown>[] = [];
/** Answer of the sink. */
let status = 204;

beforeAll(async () => {
  sink = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const body = new Uint8Array(await request.arrayBuffer());
      if (status !== 204) return new Response("no", { status });
      const text = new TextDecoder().decode(Bun.gunzipSync(body));
      for (const line of text.split("\n")) if (line !== "") lines.push(JSON.parse(line));
      return new Response(null, { status });
    },
  });
  fixture = await createTestApp({ config: { outbound_allow: "127.0.0.1", metrics_token: "scrape" } });
  admin = (await fixture.signIn("TENANT_ADMIN")).token;
});

afterAll(async () => {
  await fixture.stop();
  await sink.stop(true);
});

const target = () => ({ type: "HTTP", url: `http://127.0.0.1:${sink.port}/points`, token: "sesame" });
const call = (method: string, path: string, body?: unknown, token = admin) =>
  fixture.call(method, `/api/uplinks${path}`, { token, body });
const telemetryOnly = { telemetry: true, attributes: false, alarms: false, devices: false };
const rows = () => lines.filter(({ ts, kind }) => ts !== undefined && kind === undefined);

const device = (name: string) => fixture.createDevice(admin, { name, deviceType: "pump" });

const send = async (token: string, { ts, values }: { ts: number; values: Record<string, unknown> }) => {
  const body = { items: [{ ts, telemetry: values }] };
  expect((await fixture.call("POST", `/api/v1/${token}/telemetry/batch`, { body })).status).toBe(200);
};

/** Resolves with the uplink once it fits. */
const stateOf = (uplinkId: string, fits: (uplink: Record<string, unknown>) => boolean) =>
  untilAnswer(async () => (await call("GET", `/${uplinkId}`)).body as Record<string, unknown>, fits);

const end = async (uplinkId: string) => {
  await call("DELETE", `/${uplinkId}`);
  lines = [];
};

test("an uplink sends what is written, and keeps its secret to itself", async () => {
  const pump = await device("Pump 1");
  const created = await call("POST", "", { name: "Central", target: target() });
  expect([created.status, created.body]).toMatchObject([
    201,
    { name: "Central", enabled: true, target: { type: "HTTP", token: { kept: true } } },
  ]);
  const { uplinkId } = created.body as { uplinkId: string };
  await send(pump.token, { ts: 1_700_000_000_000, values: { temperature: 21.5, state: "on" } });
  await until(() => rows().length === 1);
  expect(rows()).toMatchObject([
    {
      device: pump.deviceId,
      name: "Pump 1",
      ts: 1_700_000_000_000,
      values: { temperature: 21.5, state: "on" },
    },
  ]);
  const upToDate = await stateOf(
    uplinkId,
    ({ state, sentPoints }) => state === "UP_TO_DATE" && sentPoints === 2,
  );
  expect(upToDate).toMatchObject({ lagSeconds: 0, waitingPoints: 0, error: null });
  const { text } = await fixture.call("GET", "/metrics", { token: "scrape" });
  expect(text).toContain("lineside_uplinks 1\n");
  expect(text).toContain("lineside_uplink_sent_points_total 2\n");
  await end(uplinkId);
});

test("what was written while the target was away arrives, deletions and attributes too", async () => {
  const pump = await device("Pump 2");
  const { body } = await call("POST", "", { name: "Central", target: target() });
  const { uplinkId } = body as { uplinkId: string };
  status = 503;
  for (let ts = 1; ts <= 20; ts++) await send(pump.token, { ts: 1_700_000_000_000 + ts, values: { n: ts } });
  await fixture.app.services.store.compact();
  await stateOf(uplinkId, ({ state }) => state === "ERROR");
  await fixture.call("POST", `/api/devices/${pump.deviceId}/attributes`, {
    token: admin,
    body: { scope: "SERVER", attributes: { place: "Hall 2" } },
  });
  status = 204;
  await until(() => rows().length >= 20 && lines.some(({ kind }) => kind === "attributes"));
  expect(new Set(rows().map(({ ts }) => ts)).size).toBe(20);
  await fixture.call("DELETE", `/api/devices/${pump.deviceId}`, { token: admin });
  await until(() => lines.some(({ kind }) => kind === "deletion"));
  await end(uplinkId);
});

test("an uplink begins with what is stored if asked to, with selected devices and keys through its steps", async () => {
  const [one, other] = [await device("Oven"), await device("Fan")];
  await send(one.token, { ts: 1_700_000_000_000, values: { temperature: 200, power: 3 } });
  await send(other.token, { ts: 1_700_000_000_000, values: { temperature: 20 } });
  await fixture.app.services.store.compact();
  const { body } = await call("POST", "", {
    name: "History",
    target: target(),
    start: "BEGINNING",
    selection: { deviceIds: [one.deviceId], deviceTypes: [], deviceTags: [], keys: ["temp*"] },
    content: telemetryOnly,
    steps: [{ type: "rename_keys", mapping: { temperature: "celsius" } }],
    tags: { line: "3" },
    site: "Plant North",
  });
  await until(() => rows().length === 1);
  expect(rows()).toMatchObject([
    { device: one.deviceId, site: "Plant North", tags: { line: "3" }, values: { celsius: 200 } },
  ]);
  const { uplinkId } = body as { uplinkId: string };
  lines = [];
  const resent = await call("POST", `/${uplinkId}/resend`, { from: 0, to: 2_000_000_000_000 });
  expect(resent.status).toBe(200);
  await until(() => rows().length === 1);
  await end(uplinkId);
});

test("a deletion arrives without another value behind it", async () => {
  const pump = await device("Pump 5");
  const { body } = await call("POST", "", { name: "Deleted", target: target(), content: telemetryOnly });
  const { uplinkId } = body as { uplinkId: string };
  await send(pump.token, { ts: 1_700_000_000_000, values: { n: 1 } });
  await until(() => rows().length === 1);
  await stateOf(uplinkId, ({ state }) => state === "UP_TO_DATE");
  const path = `/api/devices/${pump.deviceId}/telemetry?from=1600000000000&to=1800000000000`;
  expect((await fixture.call("DELETE", path, { token: admin })).status).toBe(200);
  await until(() => lines.some(({ kind }) => kind === "deletion"));
  await end(uplinkId);
});

test("a paused uplink misses nothing", async () => {
  const pump = await device("Pump 3");
  const { body } = await call("POST", "", { name: "Paused", target: target(), enabled: false });
  const { uplinkId } = body as { uplinkId: string };
  await send(pump.token, { ts: 1_700_000_000_000, values: { n: 1 } });
  await fixture.app.services.store.compact();
  await send(pump.token, { ts: 1_700_000_001_000, values: { n: 2 } });
  expect(((await call("GET", `/${uplinkId}`)).body as { state: string }).state).toBe("STOPPED");
  await call("PATCH", `/${uplinkId}`, { enabled: true });
  await until(() => rows().length === 2);
  expect(new Set(rows().map(({ ts }) => ts)).size).toBe(2);
  await end(uplinkId);
});

test("a batch that the target refuses is skipped when a person says so", async () => {
  const pump = await device("Pump 4");
  const { body } = await call("POST", "", { name: "Refused", target: target(), content: telemetryOnly });
  const { uplinkId } = body as { uplinkId: string };
  await stateOf(uplinkId, ({ state }) => state === "UP_TO_DATE");
  expect((await call("POST", `/${uplinkId}/skip`)).status).toBe(409);
  status = 422;
  await send(pump.token, { ts: 1_700_000_000_000, values: { bad: 1 } });
  await stateOf(uplinkId, ({ isRefused, state }) => isRefused === true && state === "ERROR");
  status = 204;
  expect((await call("POST", `/${uplinkId}/skip`)).status).toBe(200);
  await send(pump.token, { ts: 1_700_000_001_000, values: { good: 1 } });
  await until(() => rows().some(({ values }) => "good" in (values as object)));
  expect(rows().some(({ values }) => "bad" in (values as object))).toBe(false);
  await end(uplinkId);
});

test("a test of a target says what is wrong", async () => {
  expect((await call("POST", "/test", { target: target() })).status).toBe(200);
  status = 401;
  const refused = await call("POST", "/test", { target: target() });
  status = 204;
  expect([refused.status, refused.body]).toMatchObject([400, { code: "uplink.access_refused" }]);
  const away = await call("POST", "/test", { target: { ...target(), url: "http://127.0.0.1:9/" } });
  expect([away.status, away.body]).toMatchObject([503, { code: "uplink.unreachable" }]);
  const forbidden = await call("POST", "/test", { target: { ...target(), url: "http://169.254.169.254/" } });
  expect(forbidden.status).toBe(400);
});

const mistakes: [string, unknown, string][] = [
  ["a target without a type", { name: "x", target: {} }, "uplink.type_unknown"],
  ["a target without an address", { name: "x", target: { type: "HTTP" } }, "uplink.target_invalid"],
  [
    "a secret that was never entered",
    { name: "x", target: { type: "HTTP", url: "http://a/", token: { kept: true } } },
    "uplink.secret_unknown",
  ],
  [
    "a step that does not exist",
    { name: "x", target: { type: "HTTP", url: "http://a/" }, steps: [{ type: "fly" }] },
    "step.unknown",
  ],
  [
    "a step that sends webhooks, whose secret would be stored as it is",
    {
      name: "x",
      target: { type: "HTTP", url: "http://a/" },
      steps: [{ type: "webhook_forward", url: "http://a/", secret: "sesame" }],
    },
    "uplink.step_unfit",
  ],
];
for (const [name, body, code] of mistakes)
  test(`${name} is refused`, async () => {
    const response = await call("POST", "", body);
    expect([response.status, response.body]).toMatchObject([400, { code }]);
  });

test("only operators of the gateway may have files written to its disk", async () => {
  const place = { kind: "FOLDER", path: "/srv/archive" };
  const refused = await call("POST", "", { name: "x", target: { type: "PARQUET", place } });
  expect([refused.status, refused.body]).toMatchObject([403, { code: "gateway.operators_only" }]);
  const operator = (await fixture.signIn("TENANT_OWNER", { tenant: "host" })).token;
  const inside = { type: "PARQUET", place: { kind: "FOLDER", path: fixture.directory } };
  const own = await call("POST", "", { name: "x", enabled: false, target: inside }, operator);
  expect([own.status, own.body]).toMatchObject([400, { code: "backup.folder_invalid" }]);
  const allowed = await call(
    "POST",
    "",
    { name: "x", enabled: false, target: { type: "PARQUET", place } },
    operator,
  );
  expect(allowed.status).toBe(201);
});

test("an empty site is the name of the tenant", async () => {
  const { body } = await call("POST", "", { name: "Site", target: target(), enabled: false, site: "" });
  const { uplinkId, site } = body as { uplinkId: string; site: string };
  expect(site).not.toBe("");
  expect((await call("PATCH", `/${uplinkId}`, { site: "Plant North" })).body).toMatchObject({
    site: "Plant North",
  });
  expect((await call("PATCH", `/${uplinkId}`, { site: "" })).body).toMatchObject({ site });
  await call("DELETE", `/${uplinkId}`);
});

test("a kept secret goes to no other server", async () => {
  const { body } = await call("POST", "", { name: "Kept", target: target(), enabled: false });
  const { uplinkId } = body as { uplinkId: string };
  const kept = { ...target(), token: { kept: true } };
  expect((await call("PATCH", `/${uplinkId}`, { target: { ...kept, gzip: false } })).status).toBe(200);
  const moved = await call("PATCH", `/${uplinkId}`, { target: { ...kept, url: "http://evil.example/" } });
  expect([moved.status, moved.body]).toMatchObject([400, { code: "uplink.secret_moved" }]);
  await call("DELETE", `/${uplinkId}`);
});

test("uplinks belong to administrators with access to all devices, and to their tenant", async () => {
  const { body } = await call("POST", "", { name: "Own", target: target(), enabled: false });
  const { uplinkId } = body as { uplinkId: string };
  const writer = (await fixture.signIn("TENANT_RW")).token;
  expect((await call("GET", "", undefined, writer)).status).toBe(403);
  const restricted = (await fixture.signIn("TENANT_ADMIN", { devices: [] })).token;
  expect((await call("GET", "", undefined, restricted)).status).toBe(403);
  const stranger = (await fixture.signIn("TENANT_ADMIN", { tenant: "two" })).token;
  for (const [method, path] of [
    ["GET", ""],
    ["PATCH", ""],
    ["DELETE", ""],
    ["POST", "/skip"],
  ] as const) {
    const response = await call(
      method,
      `/${uplinkId}${path}`,
      method === "PATCH" ? { name: "x" } : undefined,
      stranger,
    );
    expect([method, path, response.status]).toEqual([method, path, 404]);
  }
  expect(((await call("GET", "", undefined, stranger)).body as unknown[]).length).toBe(0);
});
