// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of messages

import { describe, expect, test } from "bun:test";
import { WebSocketClient } from "../support/websocket-client.ts";
import {
  fixture,
  get,
  handler,
  limited,
  ofDevice,
  overheated,
  owner,
  patch,
  path,
  send,
  setRules,
  stranger,
  useAlarms,
} from "./alarms-fixture.ts";

useAlarms();

const eventsOf = async (id: string) =>
  (await get(`${path}/${id}/events`)).map(({ eventType }: { eventType: string }) => eventType);

describe("the lifecycle of an alarm", () => {
  test("an alarm rises, stays through the dead band, is acknowledged and cleared, once each", async () => {
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

  test("an alarm that nobody acknowledged is reopened instead of created again", async () => {
    const own = await fixture.createDevice(owner);
    for (const t of [60, 30, 60]) await send({ t }, own);
    const alarms = await ofDevice(own);
    expect(alarms).toHaveLength(1);
    expect(await eventsOf(alarms[0].alarmId)).toEqual(["CREATED", "CLEARED", "REOPENED"]);
  });

  test("an alarm that is raised again counts, and comes first", async () => {
    const [again, once] = [await fixture.createDevice(owner), await fixture.createDevice(owner)];
    await send({ t: 60 }, again);
    await send({ t: 60 }, once);
    const newest = async () => (await get(`${path}?limit=1`))[0];
    expect(await newest()).toMatchObject({ deviceId: once.deviceId, raiseCount: 1 });
    for (const t of [30, 60, 30, 60]) await send({ t }, again);
    const alarm = await newest();
    expect(alarm).toMatchObject({ deviceId: again.deviceId, raiseCount: 3, status: "ACTIVE_UNACK" });
    const { createdAt: raisedLast } = (await get(`${path}/${alarm.alarmId}/events`)).at(-1);
    // The alarm and its event are stamped one after the other.
    expect(Math.abs(Date.parse(alarm.raisedAt) - Date.parse(raisedLast))).toBeLessThan(1_000);
    expect((await get(`${path}?limit=1&sort=-createdAt`))[0].deviceId).toBe(once.deviceId);
  });

  test("many alarms are acknowledged, cleared and commented on", async () => {
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

describe("beside telemetry", () => {
  test("an attribute that a rule names raises and clears an alarm, as the value or as the limit", async () => {
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
    expect(await ofDevice(own)).toMatchObject([{ status: "ACTIVE_UNACK", message: "level is 8, above 5" }]);
    await limit(20);
    expect(await ofDevice(own)).toMatchObject([{ status: "CLEARED_UNACK" }]);
    await setRules([overheated]);
  });

  test("a stream brings alarms of visible devices as they change, and no others", async () => {
    const own = await fixture.createDevice(owner);
    const listen = async (token: string) => {
      const stream = await WebSocketClient.signIn(fixture.app.url, token);
      await stream.subscribe(["alarms"]);
      return stream;
    };
    const mine = await listen(owner);
    const others = [await listen(limited), await listen(stranger)];
    await send({ t: 60 }, own);
    expect(await mine.until(({ event }) => event === "CREATED")).toMatchObject({ deviceId: own.deviceId });
    const [{ alarmId: id }] = await ofDevice(own);
    await patch(`${path}/${id}/ack`, handler);
    expect(await mine.until(({ event }) => event === "ACK")).toMatchObject({ status: "ACTIVE_ACK" });
    for (const other of others) {
      await other.ping();
      expect(other.messages).toEqual([]);
      await other.close();
    }
    await mine.close();
  });
});
