import { describe, expect, test } from "bun:test";
import {
  alarmId,
  device,
  fixture,
  get,
  handler,
  limited,
  ofDevice,
  overheated,
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

const statusOf = async (url: string, token: string) => (await fixture.call("GET", url, { token })).status;

describe("the rules of all profiles are listed", () => {
  const rules = (token = owner, query = "") => get(`/api/alarm-rules${query}`, token);

  test("with their devices, their open alarms, and when they raised one last", async () => {
    const [alarm] = await ofDevice();
    expect(await rules()).toEqual([
      {
        profileId: alarm.profileId,
        profileName: "default",
        alarmType: "Overheated",
        enabled: true,
        isReadable: true,
        deviceCount: 1,
        openCount: 1,
        lastRaisedAt: alarm.raisedAt,
        keyMetadata: [],
        rule: overheated,
      },
    ]);
  });

  test("as far as the caller sees the devices", async () => {
    for (const token of [writer, reader, handler]) expect(await rules(token)).toEqual(await rules());
    expect(await rules(limited)).toMatchObject([{ alarmType: "Overheated", deviceCount: 0, openCount: 0 }]);
    expect((await rules(limited))[0]).not.toHaveProperty("lastRaisedAt");
    expect(await rules(stranger)).toEqual([]);
    expect(await statusOf("/api/alarm-rules", "nobody")).toBe(401);
  });

  test("also those that are off, or name devices by tag, and by page", async () => {
    await setRules([
      overheated,
      { ...overheated, alarmType: "Off", enabled: false },
      { ...overheated, alarmType: "Tagged", appliesTo: { tags: ["line 1"] } },
    ]);
    const response = await fixture.call("GET", "/api/alarm-rules?sort=-alarmType&limit=2", { token: owner });
    expect(response.headers.get("x-total-count")).toBe("3");
    expect(response.body).toMatchObject([
      { alarmType: "Tagged", deviceCount: 0 },
      { alarmType: "Overheated", deviceCount: 1 },
    ]);
    expect(await rules(owner, "?search=off")).toMatchObject([
      { alarmType: "Off", enabled: false, deviceCount: 1 },
    ]);
    await setRules([overheated]);
  });
});

describe("alarms of many devices get a comment", () => {
  const comment = (body: unknown, token = owner) =>
    fixture.call("POST", `${path}/comments/bulk`, { token, body });

  test("by those who may handle alarms", async () => {
    expect((await comment({ alarmIds: [alarmId], message: "Seen." }, handler)).status).toBe(201);
    const events = await get(`${path}/${alarmId}/events`);
    expect(events.at(-1)).toMatchObject({ eventType: "COMMENT", message: "Seen." });
    for (const token of [writer, reader])
      expect((await comment({ alarmIds: [alarmId], message: "x" }, token)).status).toBe(403);
    for (const token of [stranger, limited])
      expect((await comment({ alarmIds: [alarmId], message: "x" }, token)).status).toBe(404);
    expect((await comment({ alarmIds: [alarmId], message: "x" }, "nobody")).status).toBe(401);
  });

  test("or none does, if one of them does not exist", async () => {
    const before = (await get(`${path}/${alarmId}/events`)).length;
    expect((await comment({ alarmIds: [alarmId, "unknown"], message: "x" })).status).toBe(404);
    for (const body of [
      { alarmIds: [], message: "x" },
      { alarmIds: [alarmId], message: " " },
      { alarmIds: [alarmId] },
    ])
      expect((await comment(body)).status).toBe(400);
    expect(await get(`${path}/${alarmId}/events`)).toHaveLength(before);
  });
});

describe("figures about alarms", () => {
  const figures = (query = "", token = owner) => get(`${path}/statistics${query}`, token);

  test("count raises, severities and acknowledgements", async () => {
    await patch(`${path}/${alarmId}/ack`);
    await send({ t: 30 });
    await send({ t: 90 });
    expect(await figures()).toMatchObject({
      isComplete: true,
      raised: 2,
      severities: [
        { severity: "CRITICAL", raised: 1 },
        { severity: "MAJOR", raised: 1 },
        { severity: "MINOR", raised: 0 },
        { severity: "WARNING", raised: 0 },
        { severity: "INDETERMINATE", raised: 0 },
      ],
      frequent: [{ deviceId: device.deviceId, deviceName: "Kiln", name: "Overheated", raised: 2 }],
      acknowledged: { count: 1, medianMs: expect.any(Number), p90Ms: expect.any(Number) },
      standing: { total: 0, alarms: [] },
    });
  });

  test("follow the filters of the list, and what the caller sees", async () => {
    expect((await figures("?severity=CRITICAL")).raised).toBe(1);
    expect((await figures("?tag=line%201")).raised).toBe(0);
    expect((await figures("?operators=2")).perOperatorHour).toBeCloseTo(
      (await figures()).perOperatorHour / 2,
      6,
    );
    expect((await figures("", reader)).raised).toBe(2);
    expect((await figures("", limited)).raised).toBe(0);
    expect((await figures("", stranger)).raised).toBe(0);
    expect(await statusOf(`${path}/statistics`, "nobody")).toBe(401);
  });

  test("refuse a wrong range, severity or number of operators", async () => {
    const day = 86_400_000;
    for (const query of [`from=0&to=${32 * day}`, `from=${2 * day}&to=${day}`, "severity=HOT", "operators=0"])
      expect(await statusOf(`${path}/statistics?${query}`, owner)).toBe(400);
  });
});
