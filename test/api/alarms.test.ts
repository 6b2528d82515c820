// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of messages
import { describe, expect, test } from "bun:test";
import { apiRows } from "../support/api-rows.ts";
import {
  alarmId,
  device,
  fixture,
  get,
  handler,
  hot,
  limited,
  ofDevice,
  owner,
  patch,
  path,
  reader,
  send,
  setRules,
  stranger,
  useAlarms,
  writer,
} from "./alarms-fixture.ts";

useAlarms();

test("permissions of a session contain alarms:handle only for those who may handle alarms", async () => {
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
            raisedAt: expect.any(String),
            raiseCount: 1,
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

  test("a user limited to other devices sees none, and neither does another tenant", async () => {
    for (const token of [limited, stranger]) {
      expect(await get(path, token)).toEqual([]);
      expect(await get(`${path}/open`, token)).toEqual({ devices: [] });
    }
  });

  test("devices with open alarms are listed with the most severe one, and their gateway", async () => {
    const gateway = await fixture.createDevice(owner, { role: "GATEWAY" });
    const child = await fixture.createDevice(owner, { name: "Oven 1", parentDeviceId: gateway.deviceId });
    await send({ t: 90 }, child);
    const { devices: open } = await get(`${path}/open`, reader);
    expect(open).toEqual([
      {
        deviceId: child.deviceId,
        deviceName: "Oven 1",
        parentDeviceId: gateway.deviceId,
        severity: "CRITICAL",
        count: 1,
        unacknowledged: 1,
      },
      { deviceId: device.deviceId, deviceName: "Kiln", severity: "MAJOR", count: 1, unacknowledged: 1 },
    ]);
    const [alarm] = await ofDevice(child);
    await patch(`${path}/${alarm.alarmId}/ack`);
    expect((await get(`${path}/open`)).devices[0]).toMatchObject({ count: 1, unacknowledged: 0 });
    await patch(`${path}/${alarm.alarmId}/clear`);
    expect((await get(`${path}/open`)).devices).toHaveLength(1);
  });

  test("the list is filtered and counted", async () => {
    const response = await fixture.call(
      "GET",
      `${path}?severity=CRITICAL,MAJOR&status=ACTIVE_UNACK&limit=1`,
      {
        token: reader,
      },
    );
    expect(response.body).toHaveLength(1);
    expect(response.headers.get("x-total-count")).toBe("1");
    expect(await get(`${path}?severity=MINOR`)).toEqual([]);
    expect(await get(`${path}?search=kiln`)).toHaveLength(1);
    expect(await get(`${path}?search=100%25`)).toEqual([]);
  });
});

describe("alarm rules", () => {
  const create = { severity: "MAJOR", condition: hot(1) };
  const rule = { alarmType: "a", createRules: [create] };
  const wrong: ReadonlyArray<readonly [string, unknown, string]> = [
    ["a rule that is no object", 1, "alarmRules[0]"],
    ["no type", { createRules: [create] }, "alarmRules[0].alarmType"],
    ["nothing that raises it", { alarmType: "a", createRules: [] }, "alarmRules[0].createRules"],
    ["an unknown field", { ...rule, color: "red" }, "alarmRules[0].color"],
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
      const response = await setRules([input]);
      expect(response.status).toBe(400);
      expect(response.body.message).toContain(part);
    });

  test("two rules of one type are 400", async () => {
    expect((await setRules([rule, rule])).status).toBe(400);
  });
});

describe("a range of time", () => {
  test("limits the list to alarms that were open in it", async () => {
    const cleared = await fixture.createDevice(owner, { name: "Dryer" });
    await send({ t: 90 }, cleared);
    await send({ t: 20 }, cleared);
    const listed = async (query: string) =>
      (await get(`${path}/device/${cleared.deviceId}?${query}`)).map(({ name }: { name: string }) => name);
    const [alarm] = await ofDevice(cleared);
    const [raisedAt, clearedAt] = [Date.parse(alarm.createdAt), Date.parse(alarm.clearedAt)];
    expect(await listed(`from=${raisedAt - 10_000}&to=${raisedAt - 1}`)).toEqual([]);
    expect(await listed(`from=${raisedAt - 10_000}&to=${raisedAt}`)).toEqual(["Overheated"]);
    expect(await listed(`from=${clearedAt}`)).toEqual(["Overheated"]);
    expect(await listed(`from=${clearedAt + 1}`)).toEqual([]);
    await send({ t: 90 }, cleared);
    expect(await listed(`from=${clearedAt + 1}`)).toEqual(["Overheated"]);
    expect((await fixture.call("GET", `${path}?from=-1`, { token: owner })).status).toBe(400);
  });
});
