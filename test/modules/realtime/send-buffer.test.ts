import { describe, expect, test } from "bun:test";
import type { DeviceId } from "../../../src/lib/core/ids.ts";
import type { Subscription } from "../../../src/modules/realtime/realtime.types.ts";
import { SendBuffer } from "../../../src/modules/realtime/send-buffer.ts";
import { SubscribedKeys } from "../../../src/modules/realtime/subscribed-keys.ts";
import type { Reading } from "../../../src/modules/telemetry/telemetry.types.ts";

// biome-ignore lint/suspicious/noExplicitAny: messages of every shape
type Message = any;

describe("a reader that does not read", () => {
  const subscription: Subscription = {
    id: "s",
    topics: new Set(["telemetry"]),
    deviceIds: undefined,
    keys: new SubscribedKeys(
      undefined,
      () => undefined,
      () => "",
    ),
  };
  const deviceId = "d" as DeviceId;
  const addEvent = (buffer: SendBuffer, event: object) => buffer.addEvent(JSON.stringify(event));
  function addReading(buffer: SendBuffer, id: DeviceId, reading: Reading): void {
    for (const _ of buffer.addReadings(id, { readings: [reading], merged: undefined }, []));
  }
  /** A buffer with a subscription whose snapshot has been sent. */
  function createBuffer(sent: Message[], bufferedBytes = () => 0): SendBuffer {
    const buffer = new SendBuffer({ send: (text) => sent.push(JSON.parse(text)), bufferedBytes, close() {} });
    buffer.add(subscription);
    buffer.setReady(subscription);
    return buffer;
  }
  /** Returns whether nothing is left. */
  function flush(buffer: SendBuffer): boolean {
    for (const _ of buffer.flush());
    return buffer.isEmpty;
  }

  test("gets the newest value of each key, in bounded memory", () => {
    let buffered = 1e9;
    const sent: Message[] = [];
    const buffer = createBuffer(sent, () => buffered);
    for (let index = 0; index < 100_000; index++)
      addReading(buffer, deviceId, {
        ts: index,
        values: index % 2 === 0 ? { a: index } : { b: index },
      });
    expect(flush(buffer)).toBe(false);
    expect(sent).toEqual([]);
    buffered = 0;
    expect(flush(buffer)).toBe(true);
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
    const buffer = createBuffer(sent);
    for (let index = 0; index < 100; index++)
      addReading(buffer, deviceId, { ts: 1000 - index, values: { a: index } });
    flush(buffer);
    expect(sent).toMatchObject([{ values: { a: 0 }, ts: 1000 }]);
  });

  test("keeps a megabyte of events at most, however long each is", () => {
    const sent: Message[] = [];
    const buffer = createBuffer(sent);
    const long = "x".repeat(100_000);
    for (let index = 0; index < 500; index++) addEvent(buffer, { index, long });
    flush(buffer);
    expect(sent[0]).toEqual({ type: "gap", dropped: 490 });
    expect(sent.at(-1)).toMatchObject({ index: 499 });
    addEvent(buffer, { huge: "x".repeat(3_000_000) });
    expect(flush(buffer)).toBe(true);
    expect(sent.at(-1)).toHaveProperty("huge");
  });

  test("long texts of many devices wait as the newest value of each key", () => {
    const sent: Message[] = [];
    const buffer = createBuffer(sent);
    for (let index = 0; index < 3_000; index++)
      addReading(buffer, `d${index % 1_000}` as DeviceId, {
        ts: index,
        values: { text: `${index}`.repeat(1_000) },
      });
    expect(flush(buffer)).toBe(true);
    expect(sent.filter(({ merged }) => merged !== true).length).toBeLessThan(100);
    expect(sent.at(-1).values.text).toBe("2999".repeat(1_000));
  });

  test("gets a gap message when events were dropped", () => {
    const sent: Message[] = [];
    const buffer = createBuffer(sent);
    for (let index = 0; index < 1_500; index++) addEvent(buffer, { index });
    flush(buffer);
    expect(sent[0]).toEqual({ type: "gap", dropped: 500 });
    expect(sent.slice(1).map(({ index }) => index)).toEqual(
      Array.from({ length: 1000 }, (_, index) => index + 500),
    );
  });
});
