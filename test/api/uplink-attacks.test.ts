import { afterAll, beforeAll, expect, test } from "bun:test";
import { type AddressInfo, createServer } from "node:net";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until, untilAnswer } from "../support/until.ts";

let fixture: TestApp;
let sink: ReturnType<typeof Bun.serve>;
let admin: string;
/** Lines that the sink has stored, by the path of the request. */
const lines = new Map<string, Record<string, unknown>[]>();

beforeAll(async () => {
  sink = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const text = new TextDecoder().decode(Bun.gunzipSync(new Uint8Array(await request.arrayBuffer())));
      const { pathname } = new URL(request.url);
      const list = lines.get(pathname) ?? [];
      for (const line of text.split("\n")) if (line !== "") list.push(JSON.parse(line));
      lines.set(pathname, list);
      return new Response(null, { status: 204 });
    },
  });
  fixture = await createTestApp({ config: { outbound_allow: "127.0.0.1" } });
  admin = (await fixture.signIn("TENANT_ADMIN")).token;
});

afterAll(async () => {
  await fixture.stop();
  await sink.stop(true);
});

const target = (path: string) => ({ type: "HTTP", url: `http://127.0.0.1:${sink.port}/${path}` });
const call = (method: string, path: string, body?: unknown) =>
  fixture.call(method, `/api/uplinks${path}`, { token: admin, body });
const linesOf = (path: string) => lines.get(`/${path}`) ?? [];
const everything = { deviceIds: [], deviceTypes: [], deviceTags: [], keys: [] };
const device = (name: string) => fixture.createDevice(admin, { name, deviceType: "pump" });
const setAttributes = (deviceId: string, attributes: Record<string, unknown>) =>
  fixture.call("POST", `/api/devices/${deviceId}/attributes`, {
    token: admin,
    body: { scope: "SERVER", attributes },
  });
const create = async (fields: Record<string, unknown>): Promise<string> => {
  const { status, body } = await call("POST", "", fields);
  expect([status, body]).toMatchObject([201, {}]);
  return (body as { uplinkId: string }).uplinkId;
};
const stateOf = (uplinkId: string, fits: (uplink: Record<string, unknown>) => boolean) =>
  untilAnswer(async () => (await call("GET", `/${uplinkId}`)).body as Record<string, unknown>, fits);

test("sends a selected attribute behind many changes of devices that are not selected", async () => {
  const [selected, other] = [await device("Selected"), await device("Other")];
  const uplinkId = await create({
    name: "Selection",
    target: target("selection"),
    selection: { ...everything, deviceIds: [selected.deviceId] },
  });
  for (let part = 0; part < 6; part++) {
    const keys = Array.from({ length: 100 }, (_, index) => [`k${part}_${index}`, index]);
    expect((await setAttributes(other.deviceId, Object.fromEntries(keys))).status).toBe(200);
  }
  await setAttributes(selected.deviceId, { place: "Hall 1" });
  await until(() => linesOf("selection").some(({ kind }) => kind === "attributes"));
  expect(JSON.stringify(linesOf("selection"))).not.toContain(other.deviceId);
  await call("DELETE", `/${uplinkId}`);
});

test("sends old history newest first and comes to its end", async () => {
  const pump = await device("Sparse");
  const body = {
    items: [
      { ts: 1_000_000_000_000, telemetry: { n: 1 } },
      { ts: 1_700_000_000_000, telemetry: { n: 2 } },
    ],
  };
  await fixture.call("POST", `/api/v1/${pump.token}/telemetry/batch`, { body });
  await fixture.app.services.store.compact();
  const uplinkId = await create({
    name: "Newest first",
    target: target("newest"),
    order: "NEWEST_FIRST",
    start: "BEGINNING",
    content: { telemetry: true, attributes: false, alarms: false, devices: false },
  });
  await stateOf(uplinkId, ({ state }) => state === "UP_TO_DATE");
  const own = linesOf("newest").filter((line) => line.device === pump.deviceId);
  expect(own.map(({ ts }) => ts)).toEqual([1_700_000_000_000, 1_000_000_000_000]);
  await call("DELETE", `/${uplinkId}`);
});

test("sends a present attribute whatever its key, and no deletion of a device that is not selected", async () => {
  const [selected, other] = [await device("Keys"), await device("Elsewhere")];
  const raw = `{"scope":"SERVER","attributes":{"__proto__":"x","constructor":1}}`;
  const headers = { "content-type": "application/json" };
  const path = `/api/devices/${selected.deviceId}/attributes`;
  expect((await fixture.call("POST", path, { token: admin, raw, headers })).status).toBe(200);
  const uplinkId = await create({
    name: "Keys",
    target: target("keys"),
    start: "BEGINNING",
    selection: { ...everything, deviceIds: [selected.deviceId] },
  });
  const body = { items: [{ ts: 1_700_000_000_000, telemetry: { n: 1 } }] };
  for (const { token } of [selected, other])
    await fixture.call("POST", `/api/v1/${token}/telemetry/batch`, { body });
  await until(() => linesOf("keys").some(({ kind }) => kind === "attributes"));
  expect(JSON.stringify(linesOf("keys"))).toContain('"__proto__":"x"');
  await fixture.call("DELETE", `/api/devices/${other.deviceId}`, { token: admin });
  await fixture.call("DELETE", `/api/devices/${selected.deviceId}`, { token: admin });
  await until(() => linesOf("keys").some(({ kind, change }) => kind === "device" && change === "deleted"));
  expect(JSON.stringify(linesOf("keys"))).not.toContain(other.deviceId);
  await call("DELETE", `/${uplinkId}`);
});

test("does not exceed the number of uplinks when many are created at once", async () => {
  const responses = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      call("POST", "", { name: `Many ${index}`, enabled: false, target: target("many") }),
    ),
  );
  const created = responses.filter(({ status }) => status === 201);
  for (const { body } of created) await call("DELETE", `/${(body as { uplinkId: string }).uplinkId}`);
  expect(created.length).toBe(20);
});

test("twenty uplinks at once each send all history and all new values", async () => {
  const pump = await device("Shared");
  const send = async (first: number) => {
    const items = Array.from({ length: 500 }, (_, index) => ({
      ts: 1_700_000_000_000 + first + index,
      telemetry: { n: first + index },
    }));
    const response = await fixture.call("POST", `/api/v1/${pump.token}/telemetry/batch`, { body: { items } });
    expect(response.status).toBe(200);
  };
  for (let first = 0; first < 2_000; first += 500) await send(first);
  await fixture.app.services.store.compact();
  const names = Array.from({ length: 20 }, (_, index) => `twenty-${index}`);
  const ids = await Promise.all(
    names.map((name) =>
      create({
        name,
        target: target(name),
        start: "BEGINNING",
        selection: { ...everything, deviceIds: [pump.deviceId] },
      }),
    ),
  );
  for (let first = 2_000; first < 4_000; first += 500) {
    await send(first);
    if (first === 3_000) await fixture.app.services.store.compact();
  }
  const isComplete = (name: string) => {
    const rows = linesOf(name).filter(({ kind }) => kind === undefined);
    return new Set(rows.map(({ ts }) => ts)).size === 4_000;
  };
  await until(() => names.every(isComplete));
  for (const id of ids) await call("DELETE", `/${id}`);
});

test("an uplink that is deleted while it is enabled sends nothing more", async () => {
  const pump = await device("Race");
  const race = async () => {
    const uplinkId = await create({ name: "Race", enabled: false, target: target("race") });
    await Promise.all([call("PATCH", `/${uplinkId}`, { enabled: true }), call("DELETE", `/${uplinkId}`)]);
  };
  await Promise.all(Array.from({ length: 10 }, race));
  lines.delete("/race");
  const witness = await create({ name: "Witness", target: target("witness") });
  await setAttributes(pump.deviceId, { place: "Hall 2" });
  await until(() => linesOf("witness").some(({ kind }) => kind === "attributes"));
  await setAttributes(pump.deviceId, { place: "Hall 3" });
  await until(() => linesOf("witness").filter(({ kind }) => kind === "attributes").length > 1);
  expect(linesOf("race")).toEqual([]);
  await call("DELETE", `/${witness}`);
});

test("a kept secret goes to no other bucket server, and not over a connection without TLS", async () => {
  const place = { kind: "S3", endpoint: "http://127.0.0.1:9/", bucket: "b", accessKeyId: "a" };
  const uplinkId = await create({
    name: "Bucket",
    enabled: false,
    target: { type: "PARQUET", place: { ...place, secretAccessKey: "sesame" } },
  });
  const moved = { ...place, endpoint: "http://127.0.0.1:10/", secretAccessKey: { kept: true } };
  const response = await call("PATCH", `/${uplinkId}`, { target: { type: "PARQUET", place: moved } });
  expect([response.status, response.body]).toMatchObject([400, { code: "uplink.secret_moved" }]);
  const kafka = { type: "KAFKA", brokers: ["127.0.0.1:9"], mechanism: "PLAIN", username: "u" };
  const other = await create({
    name: "Kafka",
    enabled: false,
    target: { ...kafka, password: "sesame", tls: {} },
  });
  const plain = await call("PATCH", `/${other}`, {
    target: { ...kafka, password: { kept: true }, tls: null },
  });
  expect([plain.status, plain.body]).toMatchObject([400, { code: "uplink.secret_moved" }]);
  for (const id of [uplinkId, other]) await call("DELETE", `/${id}`);
});

const leakyAddresses: [string, Record<string, unknown>, string][] = [
  ["an MQTT broker", { type: "MQTT", url: "mqtt://user:sesame@127.0.0.1:9" }, "uplink.address_password"],
  ["an HTTP service", { type: "HTTP", url: "http://user:sesame@127.0.0.1:9" }, "uplink.address_password"],
  ["a NATS server", { type: "NATS", servers: ["sesame@127.0.0.1:9"] }, "uplink.address_password"],
  ["a Kafka broker", { type: "KAFKA", brokers: ["u:sesame@127.0.0.1:9"] }, "uplink.address_password"],
  ["a port that does not exist", { type: "KAFKA", brokers: ["127.0.0.1:99999"] }, "uplink.address_port"],
  [
    "a header with a secret",
    { type: "HTTP", url: "http://a/", headers: { Authorization: "sesame" } },
    "uplink.header_secret",
  ],
];
for (const [name, settings, code] of leakyAddresses)
  test(`refuses settings that show a secret or cannot work: ${name}`, async () => {
    const response = await call("POST", "", { name: "x", enabled: false, target: settings });
    expect([response.status, response.body]).toMatchObject([400, { code }]);
  });

test("only some tests of a site connect at the same time", async () => {
  let [open, most] = [0, 0];
  const server = createServer((socket) => {
    most = Math.max(most, ++open);
    socket.on("error", () => undefined);
    socket.on("close", () => open--);
    setTimeout(() => socket.destroy(), 50);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/`;
  const tests = Array.from({ length: 8 }, () => call("POST", "/test", { target: { type: "HTTP", url } }));
  expect(new Set((await Promise.all(tests)).map(({ status }) => status))).toEqual(new Set([503]));
  expect(most).toBe(3);
  server.close();
});
