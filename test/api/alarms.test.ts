// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of messages
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { apiRows } from "../support/api-rows.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let owner: string;
let writer: string;
let reader: string;
let handler: string;
let limited: string;
let stranger: string;
let profileId: string;
let device: { deviceId: string; token: string };
let alarmId: string;

const path = "/api/alarms";
const hot = (above: number) => ({ key: "t", op: "GT", value: above });
const overheated = {
  alarmType: "Overheated",
  createRules: [
    { severity: "MAJOR", condition: hot(50), message: "${deviceName} is at ${t} °C" },
    { severity: "CRITICAL", condition: hot(80), message: "${t} °C" },
  ],
  clearRule: { condition: { key: "t", op: "LT", value: 40 } },
};

const get = async (url: string, token = owner) => (await fixture.call("GET", url, { token })).body;
const patch = (url: string, token = owner, body?: unknown) =>
  fixture.call("PATCH", url, { token, ...(body === undefined ? {} : { body }) });
const send = (body: unknown, of = device) => fixture.call("POST", `/api/v1/${of.token}/telemetry`, { body });
const ofDevice = (of = device) => get(`${path}/device/${of.deviceId}`);
const eventsOf = async (id: string) =>
  (await get(`${path}/${id}/events`)).map(({ eventType }: { eventType: string }) => eventType);
const setRules = (alarmRules: unknown) => patch(`/api/device-profiles/${profileId}`, owner, { alarmRules });

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  writer = (await fixture.signIn("TENANT_RW")).token;
  const readers = await fixture.signIn("TENANT_READ_ONLY");
  reader = readers.token;
  const handlers = await fixture.signIn("TENANT_READ_ONLY");
  handler = handlers.token;
  await patch(`/api/users/${handlers.user.userId}`, owner, { canAcknowledgeAlarms: true });
  stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
  profileId = (await get("/api/device-profiles"))[0].profileId;
  await setRules([overheated]);
  device = await fixture.createDevice(owner, { name: "Kiln" });
  limited = (await fixture.signIn("TENANT_ADMIN", { devices: [] })).token;
  await send({ t: 60 });
  alarmId = (await ofDevice())[0].alarmId;
});
afterAll(() => fixture.stop());

test("who may handle alarms is told so", async () => {
  const permissionsOf = async (token: string) => (await get("/api/auth/me", token)).permissions;
  expect(await permissionsOf(owner)).toContain("alarms:handle");
  expect(await permissionsOf(handler)).toContain("alarms:handle");
  expect(await permissionsOf(reader)).not.toContain("alarms:handle");
  expect(await permissionsOf(writer)).not.toContain("alarms:handle");
});

const settings = { level1To2Minutes: 5, level2To3Minutes: 10, stopOnAck: true, stopOnClear: false };

describe("alarms", () => {
  const pathOf = (suffix = "") => `${path}/${alarmId}${suffix}`;
  const asked = (method: string, url: () => string, token?: () => string, body?: () => unknown) => () => ({
    method,
    path: url(),
    ...(token && { token: token() }),
    ...(body && { body: body() }),
  });
  const ids = () => ({ alarmIds: [alarmId] });
  const ack = () => pathOf("/ack");
  const bulk = () => `${path}/ack/bulk`;
  const escalation = () => `${path}/escalation-settings`;
  const theReader = () => reader;
  const theWriter = () => writer;
  const theStranger = () => stranger;
  const theOwner = () => owner;
  const refused = (name: string, request: ReturnType<typeof asked>, status: number) => ({
    name,
    request,
    status,
    answer: status === 401 ? ("none" as const) : ("error" as const),
  });
  apiRows(
    () => fixture,
    [
      refused(
        "anonymous may not list: 401 without a body",
        asked("GET", () => path),
        401,
      ),
      refused("anonymous may not acknowledge", asked("PATCH", ack), 401),
      refused("a reader may not acknowledge", asked("PATCH", ack, theReader), 403),
      refused("a writer without the right may not acknowledge", asked("PATCH", ack, theWriter), 403),
      refused(
        "a writer without the right may not clear",
        asked("PATCH", () => pathOf("/clear"), theWriter),
        403,
      ),
      refused("a reader may not acknowledge many", asked("PATCH", bulk, theReader, ids), 403),
      refused(
        "a reader may not clear many",
        asked("PATCH", () => `${path}/clear/bulk`, theReader, ids),
        403,
      ),
      refused("another tenant's is 404", asked("GET", pathOf, theStranger), 404),
      refused(
        "another tenant's device is 404",
        asked("GET", () => `${path}/device/${device.deviceId}`, theStranger),
        404,
      ),
      refused("another tenant may not acknowledge it", asked("PATCH", ack, theStranger), 404),
      refused(
        "a device that was not granted hides its alarm",
        asked("GET", pathOf, () => limited),
        404,
      ),
      refused(
        "an alarm that is not there is 404",
        asked("PATCH", () => `${path}/nothing/ack`, theOwner),
        404,
      ),
      refused(
        "many without ids is 400",
        asked("PATCH", bulk, theOwner, () => ({})),
        400,
      ),
      refused(
        "many of none is 400",
        asked("PATCH", bulk, theOwner, () => ({ alarmIds: [] })),
        400,
      ),
      refused(
        "ids that are no texts are 400",
        asked("PATCH", bulk, theOwner, () => ({ alarmIds: [{}] })),
        400,
      ),
      refused(
        "one unknown id of many is 404",
        asked("PATCH", bulk, theOwner, () => ({ alarmIds: [alarmId, "x"] })),
        404,
      ),
      refused(
        "a severity that there is none of is 400",
        asked("GET", () => `${path}?severity=BAD`, theOwner),
        400,
      ),
      refused("a writer may not read the escalation", asked("GET", escalation, theWriter), 403),
      refused(
        "a writer may not change it",
        asked("PATCH", escalation, theWriter, () => settings),
        403,
      ),
      refused(
        "all four fields of it are needed",
        asked("PATCH", escalation, theOwner, () => ({ stopOnAck: true })),
        400,
      ),
      refused(
        "its minutes are positive",
        asked("PATCH", escalation, theOwner, () => ({ ...settings, level1To2Minutes: 0 })),
        400,
      ),
      refused(
        "an empty comment is 400",
        asked(
          "POST",
          () => pathOf("/comments"),
          theOwner,
          () => ({ message: " " }),
        ),
        400,
      ),
      {
        name: "an alarm has the contract's fields",
        request: asked("GET", pathOf, theReader),
        status: 200,
        answer: ({ body }) =>
          expect(body).toMatchObject({
            alarmId,
            deviceId: device.deviceId,
            deviceType: "sensor",
            name: "Overheated",
            severity: "MAJOR",
            status: "ACTIVE_UNACK",
            message: "Kiln is at 60 °C",
            createdAt: expect.any(String),
            updatedAt: expect.any(String),
          }),
      },
    ],
  );

  test("the escalation has defaults and keeps what it is given, for each tenant its own", async () => {
    expect(Object.keys(await get(escalation())).sort()).toEqual(Object.keys(settings).sort());
    expect((await patch(escalation(), owner, settings)).body).toEqual(settings);
    expect(await get(escalation())).toEqual(settings);
    expect(await get(escalation(), stranger)).not.toEqual(settings);
  });

  test("who is limited to other devices sees none, and neither does another tenant", async () => {
    expect(await get(path, limited)).toEqual([]);
    expect(await get(path, stranger)).toEqual([]);
  });

  test("lists are filtered and counted", async () => {
    const answer = await fixture.call("GET", `${path}?severity=CRITICAL,MAJOR&status=ACTIVE_UNACK&limit=1`, {
      token: reader,
    });
    expect(answer.body).toHaveLength(1);
    expect(answer.headers.get("x-total-count")).toBe("1");
    expect(await get(`${path}?severity=MINOR`)).toEqual([]);
    expect(await get(`${path}?search=kiln`)).toHaveLength(1);
    expect(await get(`${path}?search=100%25`)).toEqual([]);
  });
});

describe("an alarm's life", () => {
  test("it rises, stays through the gap, is acknowledged and cleared on its own terms, once each", async () => {
    const own = await fixture.createDevice(owner);
    await send({ t: 60 }, own);
    await send({ t: 90 }, own);
    await send({ t: 45 }, own);
    const [alarm] = await ofDevice(own);
    expect(alarm).toMatchObject({ severity: "CRITICAL", message: "90 °C", status: "ACTIVE_UNACK" });
    for (let time = 0; time < 2; time++)
      expect((await patch(`${path}/${alarm.alarmId}/ack`, handler)).body).toEqual({ success: true });
    expect(await get(`${path}/${alarm.alarmId}`)).toMatchObject({
      status: "ACTIVE_ACK",
      acknowledgedAt: expect.any(String),
    });
    await send({ t: 30 }, own);
    expect(await get(`${path}/${alarm.alarmId}`)).toMatchObject({ status: "CLEARED_ACK" });
    expect(await eventsOf(alarm.alarmId)).toEqual(["CREATED", "SEVERITY_CHANGED", "ACK", "CLEARED"]);
    expect((await get(`${path}/${alarm.alarmId}/events`))[1]).toMatchObject({
      code: "alarm_event.severity_changed",
      params: { from: { code: "alarm_severity.MAJOR" }, to: { code: "alarm_severity.CRITICAL" } },
      message: "Major → Critical: 90 °C",
    });
    await send({ t: 60 }, own);
    expect((await ofDevice(own)).map(({ status }: { status: string }) => status)).toEqual([
      "ACTIVE_UNACK",
      "CLEARED_ACK",
    ]);
  });

  test("one that nobody has seen comes back as itself", async () => {
    const own = await fixture.createDevice(owner);
    for (const t of [60, 30, 60]) await send({ t }, own);
    const alarms = await ofDevice(own);
    expect(alarms).toHaveLength(1);
    expect(await eventsOf(alarms[0].alarmId)).toEqual(["CREATED", "CLEARED", "REOPENED"]);
  });

  test("many are acknowledged, cleared and commented on", async () => {
    const devices = [await fixture.createDevice(owner), await fixture.createDevice(owner)];
    for (const own of devices) await send({ t: 60 }, own);
    const alarmIds = (await Promise.all(devices.map(ofDevice))).map(([alarm]) => alarm.alarmId);
    for (let time = 0; time < 2; time++) {
      expect((await patch(`${path}/clear/bulk`, handler, { alarmIds })).body).toEqual({ success: true });
      expect((await patch(`${path}/ack/bulk`, handler, { alarmIds })).body).toEqual({ success: true });
    }
    const comment = { token: handler, body: { message: "A door was open" } };
    expect((await fixture.call("POST", `${path}/${alarmIds[0]}/comments`, comment)).status).toBe(201);
    expect(await eventsOf(alarmIds[0])).toEqual(["CREATED", "CLEARED", "ACK", "COMMENT"]);
    expect(await get(`${path}/${alarmIds[1]}`)).toMatchObject({ status: "CLEARED_ACK" });
  });

  test("a late point changes nothing", async () => {
    const own = await fixture.createDevice(owner);
    const ts = Date.now();
    await send({ ts, values: { t: 20 } }, own);
    await send({ ts: ts - 60_000, values: { t: 90 } }, own);
    expect(await ofDevice(own)).toEqual([]);
  });

  test("alarms go with their device", async () => {
    const own = await fixture.createDevice(owner);
    await send({ t: 60 }, own);
    const [alarm] = await ofDevice(own);
    await fixture.call("DELETE", `/api/devices/${own.deviceId}`, { token: owner });
    expect((await fixture.call("GET", `${path}/${alarm.alarmId}`, { token: owner })).status).toBe(404);
  });

  test("an alarm ends when its device gets a profile without its rule", async () => {
    const own = await fixture.createDevice(owner);
    await send({ t: 60 }, own);
    const body = { name: "without rules" };
    const other = (await fixture.call("POST", "/api/device-profiles", { token: owner, body })).body.profileId;
    await patch(`/api/devices/${own.deviceId}`, owner, { label: "no other profile" });
    expect((await ofDevice(own))[0].status).toBe("ACTIVE_UNACK");
    await patch(`/api/devices/${own.deviceId}`, owner, { profileId: other });
    expect((await ofDevice(own))[0].status).toBe("CLEARED_UNACK");
    await send({ t: 90 }, own);
    expect((await ofDevice(own))[0].status).toBe("CLEARED_UNACK");
  });

  test("an alarm ends when its rule is taken away", async () => {
    const own = await fixture.createDevice(owner);
    await send({ t: 60 }, own);
    await setRules([]);
    expect((await ofDevice(own))[0].status).toBe("CLEARED_UNACK");
    await setRules([overheated]);
  });
});

describe("alarm rules", () => {
  const create = { severity: "MAJOR", condition: hot(1) };
  const rule = { alarmType: "a", createRules: [create] };
  const wrong: ReadonlyArray<readonly [string, unknown, string]> = [
    ["a rule that is no object", 1, "alarmRules[0]"],
    ["no type", { createRules: [create] }, "alarmRules[0].alarmType"],
    ["nothing that raises it", { alarmType: "a", createRules: [] }, "alarmRules[0].createRules"],
    ["an unknown field", { ...rule, colour: "red" }, "alarmRules[0].colour"],
    [
      "an unknown severity",
      { ...rule, createRules: [{ ...create, severity: "BAD" }] },
      "createRules[0].severity",
    ],
    ["one severity twice", { ...rule, createRules: [create, create] }, "createRules"],
    [
      "a broken condition",
      { ...rule, createRules: [{ ...create, condition: { key: "t" } }] },
      "createRules[0].condition",
    ],
    [
      "a duration without an end",
      { ...rule, createRules: [{ ...create, kind: "DURATION" }] },
      "createRules[0].forMs",
    ],
    [
      "a count of nothing",
      { ...rule, createRules: [{ ...create, kind: "REPEATING", count: 0 }] },
      "createRules[0].count",
    ],
    [
      "a span that does not belong",
      { ...rule, createRules: [{ ...create, forMs: 5 }] },
      "createRules[0].forMs",
    ],
    ["a clear rule without a condition", { ...rule, clearRule: {} }, "clearRule.condition"],
    [
      "silence too short",
      { ...rule, createRules: [{ ...create, condition: { noData: { key: "t", forMs: 1 } } }] },
      "noData",
    ],
  ];
  for (const [name, input, part] of wrong)
    test(`${name} is 400 and is named`, async () => {
      const answer = await setRules([input]);
      expect(answer.status).toBe(400);
      expect(answer.body.message).toContain(part);
    });

  test("two rules of one type are 400", async () => {
    expect((await setRules([rule, rule])).status).toBe(400);
  });
});

describe("beside telemetry", () => {
  test("an attribute that a rule names raises and clears, whether it is looked at or compared with", async () => {
    await setRules([
      {
        alarmType: "Above its limit",
        createRules: [
          {
            severity: "WARNING",
            condition: { key: "level", op: "GT", attribute: { key: "limit", scope: "SHARED" } },
          },
        ],
      },
    ]);
    const own = await fixture.createDevice(owner);
    const limit = (value: number) =>
      fixture.call("POST", `/api/devices/${own.deviceId}/attributes`, {
        token: owner,
        body: { scope: "SHARED", attributes: { limit: value } },
      });
    await limit(10);
    await send({ level: 8 }, own);
    expect(await ofDevice(own)).toEqual([]);
    await limit(5);
    expect(await ofDevice(own)).toMatchObject([{ status: "ACTIVE_UNACK", message: "Above its limit" }]);
    await limit(20);
    expect(await ofDevice(own)).toMatchObject([{ status: "CLEARED_UNACK" }]);
    await setRules([overheated]);
  });

  test("screens hear of it as it happens, others' do not", async () => {
    const own = await fixture.createDevice(owner);
    const listen = async (token: string) => {
      const socket = new WebSocket(`${fixture.app.url.replace("http", "ws")}/api/ws`);
      const messages: string[] = [];
      let wake: () => void = () => undefined;
      socket.onmessage = ({ data }) => {
        messages.push(String(data));
        wake();
      };
      const until = async (part: string) => {
        while (!messages.some((message) => message.includes(part)))
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        return messages.find((message) => message.includes(part)) ?? "";
      };
      await new Promise((resolve) => {
        socket.onopen = resolve;
      });
      socket.send(JSON.stringify({ type: "auth", token }));
      await until("ready");
      socket.send(JSON.stringify({ type: "subscribe", id: "1", topics: ["alarms"] }));
      await until("snapshot");
      return { socket, until, messages };
    };
    const mine = await listen(owner);
    const others = [await listen(limited), await listen(stranger)];
    await send({ t: 60 }, own);
    expect(await mine.until("CREATED")).toContain(own.deviceId);
    const [{ alarmId: id }] = await ofDevice(own);
    await patch(`${path}/${id}/ack`, handler);
    expect(await mine.until('"ACK"')).toContain("ACTIVE_ACK");
    for (const { socket } of others) socket.send(JSON.stringify({ type: "ping" }));
    for (const other of others) {
      await other.until("pong");
      expect(other.messages.join()).not.toContain(own.deviceId);
      other.socket.close();
    }
    mine.socket.close();
  });
});
