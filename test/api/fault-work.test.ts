// What the gateway does by itself (imports of devices, Modbus, jobs, mails) lists what fails in the one log: with the thing to act on, as one
// entry however often it happens, for those who may read the thing.
import { afterAll, afterEach, beforeAll, expect, jest, spyOn, test } from "bun:test";
import { SubjectNames } from "../../src/modules/faults/subject-names.ts";
import { workShare } from "../../src/platform/load/fair-share.ts";
import { type MailServer, reply, startMailServer } from "../support/mail-server.ts";
import { addressesPdu, exceptionOf, responseFrame, startModbusServer } from "../support/modbus-server.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { untilAnswer } from "../support/until.ts";

interface Fault {
  readonly faultId: string;
  readonly count: number;
  readonly firstAt: string;
  readonly lastAt: string;
  readonly reason: { readonly code: string; readonly message: string };
}

const METRICS_TOKEN = "a token for the metrics";
let fixture: TestApp;
let mailServer: MailServer;
const tokens: Record<"owner" | "admin" | "writer" | "reader" | "limited" | "stranger", string> = {
  owner: "",
  admin: "",
  writer: "",
  reader: "",
  limited: "",
  stranger: "",
};
type Who = keyof typeof tokens;

beforeAll(async () => {
  mailServer = await startMailServer({
    onRcptTo: (_, __, done) => done(reply(550, "no such mailbox")),
  });
  fixture = await createTestApp({
    config: { smtp_url: mailServer.url, outbound_allow: "127.0.0.1", metrics_token: METRICS_TOKEN },
  });
  tokens.owner = (await fixture.signIn("TENANT_OWNER")).token;
  tokens.admin = (await fixture.signIn("TENANT_ADMIN")).token;
  tokens.writer = (await fixture.signIn("TENANT_RW")).token;
  tokens.reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
  tokens.limited = (await fixture.signIn("TENANT_ADMIN", { devices: [] })).token;
  tokens.stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
});
afterEach(() => void jest.restoreAllMocks());
afterAll(async () => {
  await fixture.stop();
  await mailServer.stop();
});

const call = (method: string, path: string, body?: unknown) =>
  fixture.call(method, path, { token: tokens.owner, ...(body !== undefined && { body }) });
const faults = async (query: string, who: Who = "owner"): Promise<Fault[]> =>
  (await fixture.call("GET", `/api/faults?${query}`, { token: tokens[who] })).body;
const listed = (query: string, count = 1) =>
  untilAnswer(
    () => faults(query),
    ([first]) => (first?.count ?? 0) >= count,
  );

async function expectSeenBy(query: string, seen: readonly Who[]): Promise<void> {
  const names = Object.keys(tokens) as Who[];
  const counts = await Promise.all(names.map(async (who) => [who, (await faults(query, who)).length > 0]));
  expect(counts).toEqual(names.map((who) => [who, seen.includes(who)]));
}

const importDevices = (raw: string, query = "") =>
  fixture.call("POST", `/api/devices/bulk/import${query}`, {
    token: tokens.writer,
    raw,
    headers: { "content-type": "text/csv" },
  });

test("a refused device list, and a partly imported device list", async () => {
  const csv = "name,deviceType,token\nPump 8,pump,SecretTokenOfThePump8\n,pump,SecretTokenOfThePump9\n";
  for (let count = 0; count < 2; count++) expect((await importDevices(csv)).status).toBe(400);
  expect((await importDevices(csv, "?partial=true")).body).toMatchObject({ created: 1, failed: 1 });
  expect((await importDevices("foo\nbar\n")).body.code).toBe("bulk.column_unknown");
  const found = await faults("source=import");
  expect(found).toMatchObject([
    {
      reason: {
        code: "fault.devices_not_imported",
        message: "A device list was not imported: There is no column foo. The template has all columns.",
      },
      count: 1,
    },
    {
      reason: {
        code: "fault.devices_partly_imported",
        message: "A device list was imported without 1 of its rows (1 created): Row 2: `name` is required.",
      },
      hint: { code: "fault_hint.fault.devices_partly_imported" },
      count: 1,
    },
    { reason: { code: "fault.devices_not_imported" }, count: 2 },
  ]);
  expect(JSON.stringify(found)).not.toContain("SecretToken");
  await expectSeenBy("source=import", ["owner", "admin", "writer"]);
});

test("a Modbus connection that cannot be opened is one entry, deleted with the connection", async () => {
  const { body } = await call("POST", "/api/modbus/connections", {
    name: "Meters",
    host: "127.0.0.1",
    port: 1,
  });
  const query = `subject=modbus_connection&subjectId=${body.connectionId}`;
  const found = await listed(query, 2);
  expect(found).toMatchObject([
    {
      source: "modbus",
      reason: { code: "fault.modbus_disconnected" },
      hint: { code: "fault_hint.fault.modbus_disconnected" },
      subject: { kind: "modbus_connection", name: "Meters" },
      where: "127.0.0.1:1",
    },
  ]);
  await expectSeenBy(query, ["owner", "admin", "writer", "reader"]);
  await call("DELETE", `/api/modbus/connections/${body.connectionId}`);
  expect(await faults(query)).toEqual([]);
});

test("a register that a device refuses is listed on the device, and stays when the device answers again", async () => {
  let isRefused = true;
  const server = await startModbusServer((request) =>
    responseFrame("TCP", { ...request, pdu: isRefused ? exceptionOf(request, 2) : addressesPdu(request) }),
  );
  const { deviceId } = await fixture.createDevice(tokens.owner);
  const fields = { name: "Hall", host: "127.0.0.1", port: server.port };
  const path = `/api/modbus/connections/${(await call("POST", "/api/modbus/connections", fields)).body.connectionId}`;
  const registers = [{ key: "power", area: "HOLDING_REGISTER", address: 7, type: "UINT16" }];
  const unit = (await call("POST", `${path}/units`, { deviceId, unitId: 3, intervalMs: 100, registers }))
    .body;
  const query = `subject=device&subjectId=${deviceId}&source=modbus`;
  const [fault] = await listed(query);
  expect(fault).toMatchObject({
    reason: {
      code: "fault.modbus_read_failed",
      message:
        "The device could not be read over Modbus: The device refuses to read register “power” (Modbus exception 2).",
    },
    hint: { code: "fault_hint.fault.modbus_read_failed" },
    where: "Hall / 3",
  });
  isRefused = false;
  await call("PATCH", `${path}/units/${unit.modbusUnitId}`, { intervalMs: 101 }); // asks for it again now
  await untilAnswer(
    async () => (await call("GET", `/api/devices/${deviceId}/telemetry/latest`)).body,
    ({ values }) => values?.power === 7,
  );
  expect(await faults(query)).toMatchObject([{ faultId: fault?.faultId, lastAt: fault?.lastAt }]);
  await call("DELETE", path);
  await server.stop();
});

test("a job that fails, and whose faults are deleted with it", async () => {
  const { deviceId } = await fixture.createDevice(tokens.owner);
  const job = await call("POST", "/api/scheduler", {
    name: "Night setback",
    schedule: { kind: "interval", everyMs: 3_600_000 },
    action: { type: "attributes", deviceIds: [deviceId], attributes: { setpoint: 17 } },
  });
  await call("DELETE", `/api/devices/${deviceId}`);
  const { jobId } = job.body;
  const query = `subject=job&subjectId=${jobId}`;
  for (let count = 1; count <= 2; count++) {
    await call("POST", `/api/scheduler/${jobId}/run`);
    await listed(query, count);
  }
  expect(await faults(query)).toMatchObject([
    {
      source: "scheduler",
      reason: {
        code: "fault.job_failed",
        message: "The job failed: The device does not exist any more.",
      },
      hint: { code: "fault_hint.fault.job_failed" },
      subject: { kind: "job", name: "Night setback" },
      count: 2,
    },
  ]);
  await expectSeenBy(query, ["owner", "admin", "writer", "reader"]);
  await call("DELETE", `/api/scheduler/${jobId}`);
  expect(await faults(query)).toEqual([]);
});

test("a job that finds no device, whose fault a later successful run does not hide", async () => {
  const { body } = await call("POST", "/api/scheduler", {
    name: "Fans",
    schedule: { kind: "interval", everyMs: 3_600_000 },
    action: { type: "attributes", deviceType: "fan", attributes: { speed: 1 } },
  });
  const query = `subject=job&subjectId=${body.jobId}`;
  await call("POST", `/api/scheduler/${body.jobId}/run`);
  const [fault] = await listed(query);
  expect(fault?.reason.message).toBe("The job did nothing: There is no device of the type “fan”.");
  await fixture.createDevice(tokens.owner, { deviceType: "fan" });
  await call("POST", `/api/scheduler/${body.jobId}/run`);
  await untilAnswer(
    async () => (await call("GET", `/api/scheduler/${body.jobId}/runs?limit=1`)).body,
    ([run]) => run?.status === "SUCCESS",
  );
  expect(await faults(query)).toEqual([fault!]);
});

test("a mail whose recipient is refused", async () => {
  const invited = { email: "nobody@plant.example", fullName: "Nobody", role: "TENANT_RW" };
  expect((await call("POST", "/api/users", invited)).status).toBe(201);
  const [fault] = await listed("source=mail");
  expect(fault).toMatchObject({
    source: "mail",
    subject: { kind: "outbox" },
    reason: { code: "fault.mail_failed", message: expect.stringContaining("no such mailbox") },
    hint: { code: "fault_hint.fault.mail_failed" },
    where: "nobody@plant.example",
    count: 1,
  });
  await expectSeenBy("source=mail", ["owner"]);
});

test("a body over HTTP that is not read, on the device that sent it", async () => {
  const { deviceId, token } = await fixture.createDevice(tokens.owner);
  const send = (raw: string, type: string) =>
    fixture.call("POST", `/api/v1/${token}/telemetry`, { raw, headers: { "content-type": type } });
  expect((await send("temperature=21", "text/plain")).status).toBe(415);
  expect((await send("x".repeat(5 * 1024 * 1024 + 1), "application/json")).status).toBe(413);
  expect(await faults(`subject=device&subjectId=${deviceId}`)).toMatchObject([
    { source: "device_api", reason: { code: "body.too_large" }, where: "/telemetry" },
    {
      source: "device_api",
      reason: { code: "body.type_unknown" },
      hint: { code: "fault_hint.body.type_unknown" },
      where: "/telemetry",
      sample: "temperature=21",
    },
  ]);
});

test("the current name of a pipeline, and none of its faults once it is deleted", async () => {
  const { token } = await fixture.createDevice(tokens.owner);
  const steps = [{ type: "webhook_forward", url: "http://127.0.0.1:1/hook" }];
  const { body } = await call("POST", "/api/data-pipelines", { name: "Forward", steps });
  const path = `/api/data-pipelines/${body.pipelineId}`;
  await call("POST", `${path}/start`);
  await fixture.call("POST", `/api/v1/${token}/telemetry`, { body: { t: 1 } });
  const query = `subject=pipeline&subjectId=${body.pipelineId}`;
  expect(await listed(query)).toMatchObject([{ source: "delivery", subject: { name: "Forward" } }]);
  await call("PATCH", path, { name: "To ERP" });
  expect(await faults(`${query}&search=erp`)).toMatchObject([{ subject: { name: "To ERP" } }]);
  await call("DELETE", path);
  expect(await faults(query)).toEqual([]);
});

test("a list renders its page alone, and a search gives way to other requests before each entry", async () => {
  const { deviceId, token } = await fixture.createDevice(tokens.owner);
  const twice = (key: string) => [1, 2].map((value) => ({ ts: 1, values: { [key]: value } }));
  for (let index = 0; index < 40; index++)
    await fixture.call("POST", `/api/v1/${token}/telemetry`, { body: twice(`key${index}`) });
  const query = `subject=device&subjectId=${deviceId}`;
  const all = await faults(query);
  expect(all.length).toBeGreaterThanOrEqual(40);
  const find = spyOn(SubjectNames.prototype, "find");
  const pause = spyOn(workShare, "pause");
  const first = await fixture.call("GET", `/api/faults?${query}&limit=3`, { token: tokens.owner });
  expect(first.body).toEqual(all.slice(0, 3));
  expect([first.headers.get("x-total-count"), find.mock.calls.length]).toEqual([`${all.length}`, 3]);
  const next = first.headers.get("link")?.match(/<(.*)>/)?.[1] ?? "";
  expect((await fixture.call("GET", next, { token: tokens.owner })).body).toEqual(all.slice(3, 6));
  pause.mockClear();
  expect(await faults(`${query}&search=nothing%20of%20it`)).toEqual([]);
  expect(pause.mock.calls.length).toBeGreaterThanOrEqual(all.length);
});

test("counts for Prometheus", async () => {
  const { text } = await fixture.call("GET", "/metrics", { token: METRICS_TOKEN });
  for (const line of [
    'lineside_faults_total{source="import",code="fault.devices_not_imported"} 3',
    'lineside_faults_total{source="scheduler",code="fault.job_failed"} 2',
    'lineside_faults_total{source="scheduler",code="fault.job_skipped"} 1',
    'lineside_faults_total{source="mail",code="fault.mail_failed"} 1',
  ])
    expect(text).toContain(line);
});
