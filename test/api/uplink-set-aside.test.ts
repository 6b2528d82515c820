// A staged batch that cannot be read is set aside, and everybody who has to know of it is told.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

let fixture: TestApp;
let admin: string;
let other: string;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lineside-set-aside-"));
  fixture = await createTestApp({ config: { metrics_token: "scrape" } });
  admin = (await fixture.signIn("TENANT_ADMIN", { tenant: "host" })).token;
  other = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
});
afterAll(async () => {
  await fixture.stop();
  await rm(folder, { recursive: true, force: true });
});

const call = (method: string, path: string, body?: unknown, token = admin) =>
  fixture.call(method, path, { token, ...(body !== undefined && { body }) });
const filesIn = (ending: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(ending));
const metric = async (): Promise<number> => {
  const { text } = await fixture.call("GET", "/metrics", { token: "scrape" });
  return Number(/^lineside_uplink_batches_set_aside_total (\d+)$/m.exec(text)?.[1]);
};
const warnings = async (): Promise<{ code: string; params: object }[]> => {
  const { status, body } = await fixture.call("GET", "/readyz");
  expect(status).toBe(200);
  return body.warnings.filter(({ code }: { code: string }) => code.startsWith("uplink."));
};

test("a staged batch that cannot be read is a fault of its uplink, a warning of /readyz and counted", async () => {
  const device = await fixture.createDevice(admin);
  const created = await call("POST", "/api/uplinks", {
    name: "Archive",
    target: { type: "PARQUET", place: { kind: "FOLDER", path: folder } },
    content: { telemetry: true, attributes: false, alarms: false, devices: false },
  });
  expect(created.status).toBe(201);
  const { uplinkId } = created.body;
  expect([await metric(), await warnings()]).toEqual([0, []]);
  await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: { temperature: 21.5 } });
  await until(() => filesIn(".staged").length > 0);
  const staged = filesIn(".staged");
  for (const name of staged)
    writeFileSync(join(folder, name), readFileSync(join(folder, name)).subarray(0, 20));
  await call("PATCH", `/api/uplinks/${uplinkId}`, { enabled: false }); // which writes what is staged
  await until(async () => (await metric()) === staged.length);
  const damaged = filesIn(".damaged");
  expect([damaged.length, filesIn(".staged"), filesIn(".parquet")]).toEqual([staged.length, [], []]);
  expect(await warnings()).toMatchObject([
    { code: "uplink.batches_set_aside", params: { count: staged.length } },
  ]);
  const faults = `/api/faults?subject=uplink&subjectId=${uplinkId}`;
  const { body } = await call("GET", faults);
  expect(body.map(({ reason }: { reason: { params: { file: string } } }) => reason.params.file)).toEqual(
    damaged,
  );
  expect(body[0]).toMatchObject({
    source: "uplink",
    subject: { kind: "uplink", id: uplinkId, name: "Archive" },
    reason: { code: "fault.uplink_set_aside" },
    hint: { code: "fault_hint.fault.uplink_set_aside" },
  });
  expect((await call("GET", faults, undefined, other)).body).toEqual([]);
});
