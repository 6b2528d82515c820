import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  callGateway,
  isStall,
  type StalledGateway,
  stallsOf as stallsIn,
  startStalledGateway,
} from "./stall-fixture.ts";

/**
 * Requests of a tenant with much data, alone, ten and sixty at a time, never hold the event loop for longer than 100 ms of processor time.
 * See `stall.test.ts` for how that is measured.
 */

const DEVICES = 2_000;
const ALARM_TYPES = 10;
const ATTRIBUTES = 100;
const TAGS = 10;
const AT_ONCE = [1, 10, 60];

let gateway: StalledGateway;
let deviceIds: string[];

const call = (method: string, path: string, body?: unknown) => callGateway(gateway, method, path, body);

const read = async (path: string) => (await call("GET", path)).body;

/** Names of the keys in a message of a device. */
const named = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`name ${index}`, 9]));

beforeAll(async () => {
  gateway = await startStalledGateway();
  const alarmRules = Array.from({ length: ALARM_TYPES }, (_, index) => ({
    alarmType: `type ${index}`,
    createRules: [{ severity: "MAJOR", condition: { all: [{ key: "t", op: "GT", value: 5 }] } }],
  }));
  const profile = await call("POST", "/api/device-profiles", { name: "busy", isDefault: true, alarmRules });
  expect(profile.status).toBe(201);
  const tags = Array.from({ length: TAGS }, (_, index) => `tag ${index}`);
  const rows = Array.from({ length: DEVICES }, (_, index) => ({
    name: `busy ${index}`,
    deviceType: "busy",
    tags,
  }));
  const imported = await call("POST", "/api/devices/bulk/import", { rows });
  const created: Array<{ deviceId: string; deviceToken: string }> = imported.body.rows;
  deviceIds = created.map(({ deviceId }) => deviceId);
  for (let begin = 0; begin < DEVICES; begin += 100)
    await Promise.all(
      created.slice(begin, begin + 100).map(async ({ deviceToken }) => {
        await call("POST", `/api/v1/${deviceToken}/telemetry`, { t: 9 });
        await call("POST", `/api/v1/${deviceToken}/attributes`, named(ATTRIBUTES));
      }),
    );
});
afterAll(() => gateway.stop());

/** Returns the stalls of simultaneous requests. Some of them may be refused, because unread responses leave no space. */
const stallsOf = (
  name: string,
  work: (round: number) => Promise<{ status: number }>,
  counts = AT_ONCE,
): Promise<string[]> =>
  stallsIn(gateway, { name, counts }, async (atOnce) => async () => {
    const responses = await Promise.all(Array.from({ length: atOnce }, (_, index) => work(index)));
    const statuses = responses.map(({ status }) => status);
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(statuses).toContain(200);
  });

test("long subscriptions of screens", async () => {
  const keys = Array.from({ length: 10_000 }, (_, index) => `key ${index}`);
  const subscribe = JSON.stringify({ type: "subscribe", id: "a", topics: ["telemetry"], deviceIds, keys });
  const open = () =>
    new Promise<WebSocket>((resolve, reject) => {
      const socket = new WebSocket(`${gateway.url.replace("http", "ws")}/api/ws`);
      socket.onopen = () => socket.send(JSON.stringify({ type: "auth", token: gateway.token }));
      socket.onmessage = () => resolve(socket);
      socket.onclose = reject;
    });
  const sockets = await Promise.all(Array.from({ length: 40 }, open));
  const snapshotOf = (socket: WebSocket) =>
    new Promise<{ status: number }>((resolve) => {
      socket.onmessage = ({ data }) => {
        const { type, more } = JSON.parse(String(data));
        if (type === "snapshot" && more !== true) resolve({ status: 200 });
        if (type === "error") resolve({ status: 503 }); // the user has no space left
      };
      socket.onclose = () => resolve({ status: 503 });
      if (socket.readyState !== WebSocket.OPEN) resolve({ status: 503 });
      socket.send(subscribe);
    });
  const work = (index: number) => snapshotOf(sockets[index] as WebSocket);
  expect(await stallsOf("subscriptions", work, [1, 10, 40])).toEqual([]);
  for (const socket of sockets) {
    socket.onclose = null;
    socket.close();
  }
});

const lists = [
  "/api/alarms?limit=10000",
  "/api/alarms?limit=1000&search=busy&sort=severity",
  "/api/alarms/open",
  "/api/attributes/keys",
  "/api/devices?search=zzzz",
  "/api/devices/types",
  "/api/telemetry/keys",
  "/api/overview",
  "/api/refusals?limit=10000",
];

for (const path of lists)
  test(`GET ${path}`, async () => {
    expect(await stallsOf(path, () => call("GET", path))).toEqual([]);
  });

test("POST /api/key-metadata/resolve", async () => {
  const resolve = (ids: readonly string[]) => () =>
    call("POST", "/api/key-metadata/resolve", { deviceIds: ids });
  expect(await stallsOf("devices", resolve(deviceIds))).toEqual([]);
  const unknown = Array.from({ length: 2_000 }, (_, index) => `x${index}`);
  expect(await stallsOf("unknown devices", resolve(unknown))).toEqual([]);
});

test("POST /api/v1/telemetry/latest", async () => {
  const latest = () => call("POST", "/api/v1/telemetry/latest", { deviceIds });
  expect(await stallsOf("latest", latest)).toEqual([]);
});

test("tests of an alarm rule on the devices of a profile", async () => {
  const profiles: Array<{ profileId: string; name: string }> = await read("/api/device-profiles");
  const rule = {
    alarmType: "tried",
    createRules: [{ severity: "MAJOR", condition: { all: [{ key: "t", op: "GT", value: 5 }] } }],
  };
  const profileId = profiles.find(({ name }) => name === "busy")?.profileId;
  const backTest = async () => {
    const { status } = await call("POST", "/api/alarms/back-test", { rule, profileId });
    return { status: status === 429 ? 503 : status }; // three tests of a site run at a time
  };
  expect(await stallsOf("back-test", backTest)).toEqual([]);
});

test("counts of the devices that an alarm rule would watch", async () => {
  const profiles: Array<{ profileId: string; name: string }> = await read("/api/device-profiles");
  const profileId = profiles.find(({ name }) => name === "busy")?.profileId;
  const appliesTo = { tags: [...Array.from({ length: 99 }, (_, index) => `none ${index}`), "tag 9"] };
  const count = () => call("POST", `/api/device-profiles/${profileId}/watched-devices`, { appliesTo });
  expect(await stallsOf("watched devices", count)).toEqual([]);
  expect((await count()).body).toEqual({ deviceCount: DEVICES });
});

test("changes of many alarms and devices", async () => {
  const alarms: Array<{ alarmId: string }> = await read("/api/alarms?limit=10000");
  const alarmIds = (round: number) =>
    alarms.slice(500 * (round % 20), 500 * (round % 20) + 500).map(({ alarmId }) => alarmId);
  const acknowledge = (round: number) => call("PATCH", "/api/alarms/ack/bulk", { alarmIds: alarmIds(round) });
  expect(await stallsOf("acknowledge", acknowledge)).toEqual([]);
  const clear = (round: number) => call("PATCH", "/api/alarms/clear/bulk", { alarmIds: alarmIds(round) });
  expect(await stallsOf("clear", clear)).toEqual([]);
  const devices = (round: number) => deviceIds.slice(200 * (round % 10), 200 * (round % 10) + 200);
  const update = (round: number) =>
    call("POST", "/api/devices/bulk/update", { deviceIds: devices(round), addTags: [`tag ${round % 50}`] });
  // Each changes 200 devices: half a second of work.
  expect(await stallsOf("update", update, [1, 10, 20])).toEqual([]);
});

test("runs of many jobs", async () => {
  const jobIds: string[] = [];
  for (let index = 0; index < 40; index++) {
    const job = await call("POST", "/api/scheduler", {
      name: `job ${index}`,
      schedule: { kind: "cron", expression: "0 0 1 1 *" },
      action: { type: "attributes", deviceType: "busy", attributes: { a: index } },
    });
    expect(job.status).toBe(201);
    jobIds.push(job.body.jobId);
  }
  const isRunning = async () => {
    const jobs: Array<{ lastRunAt: string | null }> = await read("/api/scheduler?limit=100");
    return jobs.some(({ lastRunAt }) => lastRunAt === null);
  };
  await gateway.longestTurn();
  await Promise.all(jobIds.map((jobId) => call("POST", `/api/scheduler/${jobId}/run`)));
  let longest = 0;
  while (await isRunning()) {
    longest = Math.max(longest, await gateway.longestTurn());
    await Bun.sleep(50);
  }
  expect(isStall(longest) ? `${longest.toFixed(0)} ms` : "").toBe("");
});
