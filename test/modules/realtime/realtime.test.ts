import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { DeviceId } from "../../../src/lib/ids.ts";
import type { Subscription } from "../../../src/modules/realtime/realtime.types.ts";
import { SendBuffer } from "../../../src/modules/realtime/send-buffer.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../../support/test-app.ts";

// biome-ignore lint/suspicious/noExplicitAny: messages of every shape
type Message = any;

/** A reader that waits for messages in turn. */
class Reader {
  readonly messages: Message[] = [];
  closeCode: number | undefined;
  readonly #socket: WebSocket;
  #wake: () => void = () => undefined;

  constructor(url: string) {
    this.#socket = new WebSocket(`${url.replace(/^http/, "ws")}/api/ws`);
    this.#socket.onmessage = ({ data }) => {
      this.messages.push(JSON.parse(String(data)));
      this.#wake();
    };
    this.#socket.onclose = ({ code }) => {
      this.closeCode = code;
      this.#wake();
    };
  }

  async open(): Promise<this> {
    await new Promise((resolve) => this.#socket.addEventListener("open", resolve, { once: true }));
    return this;
  }

  send(message: unknown): void {
    this.#socket.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  /** The first message (from now or before) that fits; fails when the connection closes first. */
  async until(fits: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const index = this.messages.findIndex(fits);
      if (index >= 0) return this.messages.splice(index, 1)[0];
      if (this.closeCode !== undefined) throw new Error(`closed with ${this.closeCode}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async closed(): Promise<number> {
    while (this.closeCode === undefined)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    return this.closeCode;
  }

  close(): void {
    this.#socket.close();
  }
}

let fixture: TestApp;
let owner: string;
let stranger: string;
let device: { deviceId: string; token: string };
let other: { deviceId: string; token: string };
let limited: string;

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
  device = await fixture.createDevice(owner);
  other = await fixture.createDevice(owner);
  limited = (await fixture.signIn("TENANT_READ_ONLY", { devices: [other.deviceId] })).token;
});
afterAll(() => fixture.stop());

const report = (token: string, body: unknown) => fixture.call("POST", `/api/v1/${token}/telemetry`, { body });

async function signedIn(token: string): Promise<Reader> {
  const reader = await new Reader(fixture.app.url).open();
  reader.send({ type: "auth", token });
  await reader.until(({ type }) => type === "ready");
  return reader;
}

test("an alarm does not wait for the moment at which telemetry is sent", async () => {
  const clock = new FakeClock();
  const app = await createTestApp({ clock });
  const { token } = await app.signIn("TENANT_OWNER");
  const condition = { key: "t", op: "GT", value: 50 };
  const alarmRules = [{ alarmType: "hot", createRules: [{ severity: "MAJOR", condition }] }];
  const profile = await app.call("POST", "/api/device-profiles", { token, body: { name: "x", alarmRules } });
  const { profileId } = profile.body;
  const oven = await app.createDevice(token, { profileId });
  const reader = await new Reader(app.app.url).open();
  reader.send({ type: "auth", token });
  await reader.until(({ type }) => type === "ready");
  reader.send({ type: "subscribe", id: "all", topics: ["telemetry", "alarms"] });
  await reader.until(({ type }) => type === "snapshot");
  clock.advance(50);
  await app.call("POST", `/api/v1/${oven.token}/telemetry`, { body: { t: 60 } });
  const alarm = await reader.until(({ topic }) => topic === "alarms");
  expect(alarm).toMatchObject({ name: "hot", deviceId: oven.deviceId, event: "CREATED" });
  expect(reader.messages).toEqual([]);
  clock.advance(50);
  expect((await reader.until(({ topic }) => topic === "telemetry")).values).toEqual({ t: 60 });
  reader.close();
  await app.stop();
});

describe("a session that changes underneath", () => {
  test("signing out closes its connections at once, and no others", async () => {
    const { token } = await fixture.signIn("TENANT_OWNER");
    const [reader, bystander] = [await signedIn(token), await signedIn(owner)];
    await fixture.call("POST", "/api/auth/logout", { token });
    expect(await reader.closed()).toBe(4401);
    bystander.send({ type: "ping" });
    await bystander.until(({ type }) => type === "pong");
    bystander.close();
  });

  test("who is disabled, deleted or given another role is cut off at once", async () => {
    for (const way of ["disabled", "deleted", "another role"]) {
      const { token, user } = await fixture.signIn("TENANT_RW");
      const reader = await signedIn(token);
      const path = `/api/users/${user.userId}`;
      if (way === "deleted") await fixture.call("DELETE", path, { token: owner });
      else {
        const body = way === "disabled" ? { status: "DISABLED" } : { role: "TENANT_READ_ONLY" };
        await fixture.call("PATCH", path, { token: owner, body });
      }
      expect([way, await reader.closed()]).toEqual([way, 4401]);
    }
  });

  test("a stream follows what its reader is granted, by name and through an asset, without a new subscription", async () => {
    const { token, user } = await fixture.signIn("TENANT_READ_ONLY", { devices: [] });
    const pump = await fixture.createDevice(owner, { assetId: "hall 7" });
    const grant = (body: unknown) =>
      fixture.call("PATCH", `/api/users/${user.userId}`, { token: owner, body });
    const reader = await signedIn(token);
    reader.send({ type: "subscribe", id: "all", topics: ["telemetry"] });
    expect((await reader.until(({ type }) => type === "snapshot")).devices).toEqual([]);
    const received: Array<{ a: number }> = [];
    for (const [a, body] of [
      [1, { deviceIds: [pump.deviceId] }],
      [2, { deviceIds: [] }],
      [3, { assetIds: ["hall 7"] }],
      [4, { assetIds: ["hall 8"] }],
      [5, { hasGlobalAssetAccess: true }],
      [6, { hasGlobalAssetAccess: false }],
      [7, { hasGlobalDeviceAccess: true }],
    ] as const) {
      expect((await grant(body)).status).toBe(200);
      await report(pump.token, { a });
      if (a % 2 === 1) received.push((await reader.until(({ topic }) => topic === "telemetry")).values);
    }
    expect(received).toEqual([{ a: 1 }, { a: 3 }, { a: 5 }, { a: 7 }]);
    expect(reader.messages).toEqual([]);
    reader.close();
  });

  test("another person cannot take over the connection and what it listens to", async () => {
    const reader = await signedIn(owner);
    reader.send({ type: "subscribe", id: "1", topics: ["telemetry"] });
    reader.send({ type: "auth", token: stranger });
    expect(await reader.closed()).toBe(4401);
  });

  test("a connection that was closed from here leaves the other readers their telemetry", async () => {
    const { token } = await fixture.signIn("TENANT_OWNER");
    const closed = await signedIn(token);
    closed.send({ type: "subscribe", id: "1", topics: ["telemetry"] });
    await closed.until(({ type }) => type === "snapshot");
    await fixture.call("POST", "/api/auth/logout", { token });
    await closed.closed();
    const reader = await signedIn(owner);
    reader.send({ type: "subscribe", id: "1", topics: ["telemetry"], deviceIds: [other.deviceId] });
    await reader.until(({ type }) => type === "snapshot");
    await report(other.token, { a: 1 });
    expect((await reader.until(({ topic }) => topic === "telemetry")).values).toEqual({ a: 1 });
    reader.close();
  });

  test("a fresh token of the same person goes on", async () => {
    const reader = await signedIn(owner);
    const { body } = await fixture.call("POST", "/api/auth/refresh", { token: owner });
    reader.send({ type: "auth", token: body.accessToken });
    await reader.until(({ type }) => type === "ready");
    reader.close();
  });
});

describe("signing in", () => {
  test("a bad token ends the connection", async () => {
    const reader = await new Reader(fixture.app.url).open();
    reader.send({ type: "auth", token: "nonsense" });
    expect(await reader.closed()).toBe(4401);
  });

  test("nothing is served before", async () => {
    const reader = await new Reader(fixture.app.url).open();
    reader.send({ type: "subscribe", id: "1", topics: ["telemetry"] });
    expect(await reader.closed()).toBe(4401);
    expect(reader.messages.map(({ type }) => type)).toEqual(["error"]);
  });

  test("malformed messages are answered, not fatal", async () => {
    const reader = await signedIn(owner);
    for (const message of [
      "{",
      "[]",
      { type: "x" },
      { type: "subscribe", id: "", topics: ["telemetry"] },
      { type: "subscribe", id: "a", topics: ["gossip"] },
    ]) {
      reader.send(message);
      expect((await reader.until(({ type }) => type === "error")).code).toBe("realtime.message_invalid");
    }
    reader.send({ type: "ping" });
    await reader.until(({ type }) => type === "pong");
    reader.close();
  });
});

describe("telemetry", () => {
  test("a snapshot first, then every message", async () => {
    await report(device.token, { ts: 1767225600000, values: { a: 1, b: "x" } });
    const reader = await signedIn(owner);
    reader.send({ type: "subscribe", id: "s", topics: ["telemetry"], deviceIds: [device.deviceId] });
    const snapshot = await reader.until(({ type }) => type === "snapshot");
    expect(snapshot.telemetry).toEqual([
      {
        deviceId: device.deviceId,
        values: { a: 1, b: "x" },
        timestamps: { a: 1767225600000, b: 1767225600000 },
        ts: 1767225600000,
      },
    ]);
    expect(snapshot.devices).toMatchObject([{ deviceId: device.deviceId, active: true }]);
    await report(device.token, { ts: 1767225601000, values: { a: 2 } });
    await report(other.token, { a: 99 });
    await report(device.token, { ts: 1767225602000, values: { a: 3 } });
    expect(await reader.until(({ topic }) => topic === "telemetry")).toEqual({
      type: "data",
      id: "s",
      topic: "telemetry",
      deviceId: device.deviceId,
      ts: 1767225601000,
      values: { a: 2 },
      timestamps: { a: 1767225601000 },
    });
    expect((await reader.until(({ topic }) => topic === "telemetry")).values).toEqual({ a: 3 });
    expect(reader.messages).toEqual([]);
    reader.close();
  });

  test("only the keys that were asked for", async () => {
    const reader = await signedIn(owner);
    reader.send({
      type: "subscribe",
      id: "k",
      topics: ["telemetry"],
      deviceIds: [device.deviceId],
      keys: ["b"],
    });
    await reader.until(({ type }) => type === "snapshot");
    await report(device.token, { a: 5 });
    await report(device.token, { a: 6, b: "y" });
    expect((await reader.until(({ topic }) => topic === "telemetry")).values).toEqual({ b: "y" });
    reader.close();
  });

  test("another tenant's device does not exist", async () => {
    const own = await fixture.createDevice(stranger);
    const reader = await signedIn(stranger);
    reader.send({ type: "subscribe", id: "x", topics: ["telemetry"], deviceIds: [device.deviceId] });
    expect((await reader.until(({ type }) => type === "error")).code).toBe("device.not_found");
    reader.send({ type: "subscribe", id: "all", topics: ["telemetry", "devices", "attributes", "events"] });
    await reader.until(({ type }) => type === "snapshot");
    await report(device.token, { a: 7 });
    await fixture.call("POST", `/api/devices/${device.deviceId}/attributes`, {
      token: owner,
      body: { scope: "SERVER", attributes: { z: 1 } },
    });
    await report(own.token, { a: 8 });
    await reader.until(({ topic, deviceId }) => topic === "telemetry" && deviceId === own.deviceId);
    expect(reader.messages.filter(({ deviceId }) => deviceId !== own.deviceId)).toEqual([]);
    reader.close();
  });

  test("without device ids, all devices that the reader may see", async () => {
    const reader = await signedIn(limited);
    reader.send({ type: "subscribe", id: "all", topics: ["telemetry"] });
    const { devices } = await reader.until(({ type }) => type === "snapshot");
    expect(devices.map(({ deviceId }: { deviceId: string }) => deviceId)).toEqual([other.deviceId]);
    await report(device.token, { a: 8 });
    await report(other.token, { a: 9 });
    expect(await reader.until(({ topic }) => topic === "telemetry")).toMatchObject({
      deviceId: other.deviceId,
      values: { a: 9 },
    });
    expect(reader.messages).toEqual([]);
    reader.close();
  });

  test("nothing after unsubscribing", async () => {
    const reader = await signedIn(owner);
    reader.send({ type: "subscribe", id: "u", topics: ["telemetry"], deviceIds: [device.deviceId] });
    await reader.until(({ type }) => type === "snapshot");
    reader.send({ type: "unsubscribe", id: "u" });
    reader.send({ type: "ping" });
    await reader.until(({ type }) => type === "pong");
    reader.send({ type: "subscribe", id: "v", topics: ["telemetry"], deviceIds: [other.deviceId] });
    await reader.until(({ type }) => type === "snapshot");
    await report(device.token, { a: 10 });
    await report(other.token, { a: 11 });
    await reader.until(({ deviceId }) => deviceId === other.deviceId);
    expect(reader.messages).toEqual([]);
    reader.close();
  });
});

test("attributes, device changes and refusals are told", async () => {
  const reader = await signedIn(owner);
  reader.send({ type: "subscribe", id: "e", topics: ["attributes", "devices", "events"] });
  await reader.until(({ type }) => type === "snapshot");
  await fixture.call("POST", `/api/devices/${device.deviceId}/attributes`, {
    token: owner,
    body: { scope: "SHARED", attributes: { target: 5 } },
  });
  expect(await reader.until(({ topic }) => topic === "attributes")).toMatchObject({
    deviceId: device.deviceId,
    scope: "SHARED",
    values: { target: 5 },
    deleted: [],
  });
  await fixture.call("DELETE", `/api/devices/${device.deviceId}/attributes/SHARED/target`, { token: owner });
  expect(await reader.until(({ topic }) => topic === "attributes")).toMatchObject({ deleted: ["target"] });
  const fresh = await fixture.createDevice(owner);
  expect(await reader.until(({ event }) => event === "created")).toMatchObject({
    topic: "devices",
    deviceId: fresh.deviceId,
  });
  await report(fresh.token, { a: 1 });
  expect(await reader.until(({ event }) => event === "state")).toMatchObject({
    deviceId: fresh.deviceId,
    active: true,
  });
  await report(fresh.token, 5);
  expect(await reader.until(({ topic }) => topic === "events")).toMatchObject({
    event: "rejected",
    deviceId: fresh.deviceId,
    rejection: { code: "telemetry.body_invalid" },
  });
  reader.close();
});

describe("a reader that does not read", () => {
  const subscription: Subscription = {
    id: "s",
    topics: new Set(["telemetry"]),
    deviceIds: undefined,
    keys: undefined,
  };
  const deviceId = "d" as DeviceId;

  test("gets the newest value of each key, in bounded memory", () => {
    let buffered = 1e9;
    const sent: Message[] = [];
    const buffer = new SendBuffer({
      send: (text) => sent.push(JSON.parse(text)),
      bufferedBytes: () => buffered,
      close() {},
    });
    for (let index = 0; index < 100_000; index++)
      buffer.addReading(subscription, deviceId, {
        ts: index,
        values: index % 2 === 0 ? { a: index } : { b: index },
      });
    expect(buffer.flush(() => true)).toBe(false);
    expect(sent).toEqual([]);
    buffered = 0;
    expect(buffer.flush(() => true)).toBe(true);
    expect(sent).toEqual([
      {
        type: "data",
        id: "s",
        topic: "telemetry",
        deviceId,
        ts: 99_999,
        values: { a: 99_998, b: 99_999 },
        timestamps: { a: 99_998, b: 99_999 },
        merged: true,
      },
    ]);
  });

  test("a late reading does not replace a newer value while they are merged", () => {
    const sent: Message[] = [];
    const buffer = new SendBuffer({
      send: (text) => sent.push(JSON.parse(text)),
      bufferedBytes: () => 0,
      close() {},
    });
    for (let index = 0; index < 100; index++)
      buffer.addReading(subscription, deviceId, { ts: 1000 - index, values: { a: index } });
    buffer.flush(() => true);
    expect(sent).toMatchObject([{ values: { a: 0 }, ts: 1000 }]);
  });

  test("keeps a megabyte of events at most, however long each is", () => {
    const sent: Message[] = [];
    const buffer = new SendBuffer({
      send: (text) => sent.push(JSON.parse(text)),
      bufferedBytes: () => 0,
      close() {},
    });
    const long = "x".repeat(100_000);
    for (let index = 0; index < 500; index++) buffer.addEvent({ index, long });
    buffer.flush(() => true);
    expect(sent[0]).toEqual({ type: "gap", dropped: 490 });
    expect(sent.at(-1)).toMatchObject({ index: 499 });
    buffer.addEvent({ huge: "x".repeat(3_000_000) });
    expect(buffer.flush(() => true)).toBe(true);
    expect(sent.at(-1)).toHaveProperty("huge");
  });

  test("long texts of many devices wait as the newest value of each key", () => {
    const sent: Message[] = [];
    const buffer = new SendBuffer({
      send: (text) => sent.push(JSON.parse(text)),
      bufferedBytes: () => 0,
      close() {},
    });
    for (let index = 0; index < 3_000; index++)
      buffer.addReading(subscription, `d${index % 1_000}` as DeviceId, {
        ts: index,
        values: { text: `${index}`.repeat(1_000) },
      });
    expect(buffer.flush(() => true)).toBe(true);
    expect(sent.filter(({ merged }) => merged !== true).length).toBeLessThan(100);
    expect(sent.at(-1).values.text).toBe("2999".repeat(1_000));
  });

  test("is told when events were left out", () => {
    const sent: Message[] = [];
    const buffer = new SendBuffer({
      send: (text) => sent.push(JSON.parse(text)),
      bufferedBytes: () => 0,
      close() {},
    });
    for (let index = 0; index < 1_500; index++) buffer.addEvent({ index });
    buffer.flush(() => true);
    expect(sent[0]).toEqual({ type: "gap", dropped: 500 });
    expect(sent.slice(1).map(({ index }) => index)).toEqual(
      Array.from({ length: 1000 }, (_, index) => index + 500),
    );
  });
});
