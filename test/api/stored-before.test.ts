// Data that was stored before a stricter check: it keeps working, its secrets are hidden, and what did not change can be saved again.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { createWebhookReceiver, type WebhookReceiver } from "../support/webhook-receiver.ts";

const SECRET = "a1B2c3D4e5F6g7H8i9J0k1";
let directory: string;
let fixture: TestApp;
let receiver: WebhookReceiver;
let owner: string;
let device: { deviceId: string; token: string };

const start = async () => {
  fixture = await createTestApp({ directory, config: { outbound_allow: "127.0.0.1" } });
};

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "lineside-stored-"));
  await start();
  receiver = createWebhookReceiver();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  device = await fixture.createDevice(owner);
});
afterAll(async () => {
  await fixture.stop();
  await receiver.stop();
  rmSync(directory, { recursive: true, force: true });
});

const call = (method: string, path: string, body?: unknown) =>
  fixture.call(method, path, { token: owner, ...(body !== undefined && { body }) });

/** Replaces a text in a column of all rows, as if an older version had written it, and starts the gateway anew. */
async function rewrite(table: string, column: string, [from, to]: readonly [string, string]): Promise<void> {
  await fixture.app.stop();
  const database = new Database(join(directory, "lineside.db"));
  database.run(`UPDATE ${table} SET ${column} = replace(${column}, ?, ?)`, [from, to]);
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
  await start();
}

const send = (values: Record<string, number>) =>
  fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: values });
const latest = async () => (await call("GET", `/api/devices/${device.deviceId}/telemetry/latest`)).text;

test("secrets of stored webhooks are sealed when the gateway starts, those of versions, too", async () => {
  const path = "/api/data-pipelines";
  const place = `${receiver.url}/hooks/place/in`;
  const steps = [
    { type: "webhook_forward", url: place, headers: { "X-Place": "header-place" } },
    { type: "webhook_forward", config: { url: place } },
  ];
  const { pipelineId } = (await call("POST", path, { name: "erp", status: "active", steps })).body;
  for (const table of ["data_pipelines", "data_pipeline_versions"])
    await rewrite(table, "steps", ["/hooks/place/", `/hooks/${SECRET}/`]);
  await rewrite("data_pipelines", "steps", ['"X-Place":"header-place"', `"X-Api-Key":"${SECRET}"`]);
  const shown = await call("GET", `${path}/${pipelineId}`);
  const versions = await call("GET", `${path}/${pipelineId}/versions`);
  for (const { status, text } of [shown, versions]) {
    expect({ status, hasSecret: text.includes(SECRET) }).toEqual({ status: 200, hasSecret: false });
    expect(text).toMatch(/\/hooks\/kept-[0-9a-f]{16}\/in/);
  }
  const sent = async () => {
    const before = receiver.received.length;
    await send({ t: 1 });
    await until(() => receiver.received.length >= before + 2);
    return receiver.received.slice(before).map(({ path: to }) => to);
  };
  expect(await sent()).toEqual([`/hooks/${SECRET}/in`, `/hooks/${SECRET}/in`]);
  expect(receiver.received.at(-2)?.headers.get("x-api-key")).toBe(SECRET);
  const back = await call("PATCH", `${path}/${pipelineId}`, { description: "d", steps: shown.body.steps });
  expect([back.status, back.body.steps]).toEqual([200, shown.body.steps]);
  expect(await sent()).toEqual([`/hooks/${SECRET}/in`, `/hooks/${SECRET}/in`]);
  const [first] = shown.body.steps;
  for (const url of [first.url.replace("127.0.0.1", "localhost"), first.url.replace("/in", "/out")]) {
    const moved = await call("PATCH", `${path}/${pipelineId}`, { steps: [{ ...first, url }] });
    expect([moved.status, moved.body.code]).toEqual([400, "step.secret_moved"]);
  }
  const database = new Database(join(directory, "lineside.db"), { readonly: true });
  for (const table of ["data_pipelines", "data_pipeline_versions", "outbound_targets"])
    expect(JSON.stringify(database.query(`SELECT * FROM ${table}`).all())).not.toContain(SECRET);
  database.close();
  await call("DELETE", `${path}/${pipelineId}`);
});

test("steps with unknown fields run and can be renamed, and are checked when they are saved", async () => {
  const path = "/api/data-pipelines";
  const steps = [
    { type: "conditional_drop", condition: { key: "t", op: "GT", value: 50 } },
    { type: "scale_keys", keys: ["t"], factor: 10 },
  ];
  const { pipelineId } = (await call("POST", path, { name: "old", status: "active", steps })).body;
  for (const table of ["data_pipelines", "data_pipeline_versions"]) {
    await rewrite(table, "steps", ['"value":50', '"value":50,"unit":"C"']);
    await rewrite(table, "steps", ['"factor":10', '"factor":10,"note":"x"']);
  }
  await send({ t: 7 });
  await send({ t: 60 });
  expect(JSON.parse(await latest())).toMatchObject({ values: { t: 70 } });
  const { body, status } = await call("PATCH", `${path}/${pipelineId}`, { name: "renamed" });
  expect([status, body.name]).toEqual([200, "renamed"]);
  expect((await call("PATCH", `${path}/${pipelineId}`, { steps: body.steps })).body).toMatchObject({
    code: "step.rejected",
  });
  expect((await call("PATCH", `${path}/${pipelineId}`, { steps: body.steps.slice(1) })).body).toMatchObject({
    code: "step.field_unknown",
  });
  const back = await call("POST", `${path}/${pipelineId}/rollback`, { version: 1 });
  expect([back.status, back.body.code]).toEqual([400, "step.rejected"]); // nobody could save what came back
  await call("DELETE", `${path}/${pipelineId}`);
});

test("a version of a dashboard that could not be saved today is not brought back", async () => {
  const path = "/api/dashboards";
  const { id } = (await call("POST", path, { name: "old", tags: ["wide"] })).body;
  await call("PATCH", `${path}/${id}`, { tags: [] });
  await rewrite("dashboard_versions", "content", ['"tags":["wide"]', '"tags":["wide",7]']);
  const back = await call("POST", `${path}/${id}/versions/1/restore`);
  expect([back.status, back.body.code]).toEqual([400, "dashboard.invalid"]);
  expect((await call("GET", `${path}/${id}`)).body.tags).toEqual([]);
});

test("an alarm of a rule with an unknown field stays open, and ends by its own rule", async () => {
  const alarmRules = [
    { alarmType: "Hot", createRules: [{ severity: "MAJOR", condition: { key: "h", op: "GT", value: 50 } }] },
  ];
  const { profileId } = (await call("POST", "/api/device-profiles", { name: "kiln", alarmRules })).body;
  await call("PATCH", `/api/devices/${device.deviceId}`, { profileId });
  await send({ h: 60 });
  const open = async () =>
    (await call("GET", `/api/alarms?deviceId=${device.deviceId}`)).body.map(
      ({ status }: { status: string }) => status,
    );
  expect(await open()).toEqual(["ACTIVE_UNACK"]);
  await rewrite("device_profiles", "alarm_rules", ['"value":50', '"value":50,"unit":"C"']);
  expect(await open()).toEqual(["ACTIVE_UNACK"]);
  await send({ h: 40 });
  await until(async () => (await open())[0] === "CLEARED_UNACK");
});

test("an integration whose server has a secret in its address can be changed, and sends secrets nowhere else", async () => {
  const path = "/api/integrations";
  const settings = { downlink: { url: `${receiver.url}/down`, apiKey: "NNSXS.KEY" } };
  const { integrationId } = (
    await call("POST", path, { name: "lns", type: "CHIRPSTACK", settings_json: settings })
  ).body;
  await rewrite("integrations", "settings", ["/down", "/down?token=readable"]);
  const shown = (await call("GET", `${path}/${integrationId}`)).body.settings_json;
  const change = async (settings_json: unknown) => {
    const { status, body } = await call("PATCH", `${path}/${integrationId}`, { settings_json });
    return [status, body.code];
  };
  expect(shown.downlink).toEqual({ url: `${receiver.url}/down?token=readable`, apiKey: { kept: true } });
  expect(await change(shown)).toEqual([200, undefined]);
  expect(await change({ autoCreateDevice: true })).toEqual([200, undefined]);
  const moved = { ...shown.downlink, url: "http://127.0.0.2/down" };
  expect(await change({ downlink: moved })).toEqual([400, "integration.secret_moved"]);
  const other = { ...shown.downlink, url: `${receiver.url}/down?token=other` };
  expect(await change({ downlink: other })).toEqual([400, "integration.settings_invalid"]);
});

test("an uplink whose address or header has a secret can be changed, and sends secrets nowhere else", async () => {
  const path = "/api/uplinks";
  const target = { type: "HTTP", url: `${receiver.url}/up`, headers: { "X-Place": "a" }, token: "bearer" };
  const created = await call("POST", path, { name: "cloud", enabled: false, target });
  const { uplinkId } = created.body;
  expect(created.status).toBe(201);
  await rewrite("uplinks", "target", ["/up", "/up?token=readable"]);
  await rewrite("uplinks", "target", ["X-Place", "X-Api-Key"]);
  const shown = (await call("GET", `${path}/${uplinkId}`)).body.target;
  const change = async (changed: unknown) => {
    const { status, body } = await call("PATCH", `${path}/${uplinkId}`, { target: changed });
    return [status, body.code];
  };
  expect(shown.url).toBe(`${receiver.url}/up?token=readable`);
  expect(await change(shown)).toEqual([200, undefined]);
  expect(await change({ ...shown, url: "http://127.0.0.2/up" })).toEqual([400, "uplink.secret_moved"]);
  const token = "new";
  const other = { ...shown, token, url: `${receiver.url}/up?token=other` };
  expect(await change(other)).toEqual([400, "uplink.address_query"]);
  expect(await change({ ...shown, headers: { "X-Api-Key": "other" } })).toEqual([
    400,
    "uplink.header_secret",
  ]);
});
