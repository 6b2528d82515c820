import { describe, expect, test } from "bun:test";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { generate, type Packet } from "mqtt-packet";
import { detail } from "../../../../src/lib/core/domain-error.ts";
import type { PublishPacket } from "../../../../src/lib/mqtt/packets.ts";
import {
  InboundLane,
  NotTaken,
  PACKET_BYTES_MAX,
  SLICE,
  WINDOW,
} from "../../../../src/platform/broker/inbound-lane.ts";
import { InboundSession, type Outcome } from "../../../../src/platform/broker/inbound-session.ts";

const diskFull = detail("storage.disk_full");

const taken: Outcome = { kind: "taken" };

interface Message {
  readonly text: string;
  readonly settle: (outcome?: Outcome) => Promise<void>;
}

/** A lane between a test that plays the broker and one that plays the gateway. */
/** Lets the lane take note of outcomes, and send what has become due. */
async function turn(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

function rig(session = new InboundSession(), protocolVersion: 4 | 5 = 4) {
  const messages: Message[] = [];
  const sent: string[] = [];
  const passed: Uint8Array[] = [];
  const tooLarge: PublishPacket[] = [];
  const failures: Error[] = [];
  let rooms = 0;
  const names: Record<number, string> = { 4: "puback", 5: "pubrec", 7: "pubcomp" };
  const lane = new InboundLane({
    protocolVersion,
    session,
    take(message) {
      const { promise, resolve } = Promise.withResolvers<Outcome>();
      messages.push({
        text: Buffer.from(message.payload).toString(),
        async settle(outcome = taken) {
          resolve(outcome);
          await turn();
        },
      });
      return promise;
    },
    tooLarge: (message) => tooLarge.push(message),
    pass: (bytes) => passed.push(bytes),
    send(bytes) {
      // Four bytes each; several may go out as one.
      for (let index = 0; index < bytes.length; index += 4)
        sent.push(`${names[(bytes[index] ?? 0) >> 4]} ${Buffer.from(bytes).readUInt16BE(index + 2)}`);
    },
    fail: (error) => failures.push(error),
    onRoom: () => rooms++,
  });
  const give = (packet: Packet) => lane.push(generate(packet, { protocolVersion }));
  const publish = (
    messageId: number,
    payload: string,
    more: Partial<{ qos: 0 | 1 | 2; dup: boolean }> = {},
  ) => give({ cmd: "publish", topic: "a/b", payload, qos: 1, dup: false, retain: false, messageId, ...more });
  return {
    lane,
    give,
    publish,
    messages,
    sent,
    passed,
    tooLarge,
    failures,
    get rooms() {
      return rooms;
    },
  };
}

const connack = (sessionPresent: boolean): Packet => ({ cmd: "connack", returnCode: 0, sessionPresent });

test("messages are worked on together and acknowledged in the order they came, each once it is taken", async () => {
  const { publish, messages, sent } = rig();
  for (const id of [1, 2, 3]) publish(id, `m${id}`);
  expect(messages.map(({ text }) => text)).toEqual(["m1", "m2", "m3"]);
  await messages[2]?.settle();
  await messages[1]?.settle();
  expect(sent).toEqual([]);
  await messages[0]?.settle();
  expect(sent).toEqual(["puback 1", "puback 2", "puback 3"]);
});

test("a full window holds the sender up, and room lets it go on", async () => {
  const item = rig();
  const { publish, messages } = item;
  for (let id = 1; id < WINDOW; id++) expect(publish(id, "x")).toBe(true);
  publish(WINDOW, "x");
  expect(publish(WINDOW + 1, "late")).toBe(false);
  expect(messages).toHaveLength(WINDOW);
  await messages[0]?.settle();
  expect(messages.at(-1)?.text).toBe("late");
  expect(item.rooms).toBe(0);
  await messages[1]?.settle();
  expect(item.rooms).toBe(1);
});

test("of many messages that come at once a slice is begun, and the rest a turn later without an acknowledgement", async () => {
  const item = rig();
  const many = Array.from({ length: SLICE + 1 }, (_, index): Packet => {
    const message = { topic: "a/b", payload: `m${index}`, qos: 1, dup: false, retain: false } as const;
    return { cmd: "publish", ...message, messageId: index + 1 };
  });
  expect(item.lane.push(Buffer.concat(many.map((packet) => generate(packet))))).toBe(false);
  expect([item.messages.length, item.rooms]).toEqual([SLICE, 0]);
  await turn();
  expect([item.messages.length, item.rooms, item.sent]).toEqual([SLICE + 1, 1, []]);
});

test("large messages and answers are begun in several turns of the event loop, one connection at a time", async () => {
  const message = { cmd: "publish", topic: "a/b", qos: 1, dup: false, retain: false } as const;
  const large = Buffer.concat(
    [1, 2, 3, 4].map((messageId) => generate({ ...message, payload: Buffer.alloc(60_000), messageId })),
  );
  const response = generate({ cmd: "suback", messageId: 1, granted: Array(16_000).fill(0) });
  const responses = Buffer.concat(Array.from({ length: 8 }, () => response));
  const [first, second, third] = [rig(), rig(), rig()];
  first.lane.push(large);
  second.lane.push(large);
  third.lane.push(responses);
  const begun = () => [first.messages.length, second.messages.length, third.passed.length];
  expect(begun()).toEqual([2, 2, 5]);
  let before = begun();
  for (let round = 0; round < 3; round++) {
    await turn();
    const after = begun();
    const grown = after.filter((count, index) => count > (before[index] ?? 0));
    expect(grown.length).toBeLessThanOrEqual(2); // of two turns
    before = after;
  }
  await turn();
  expect(begun()).toEqual([4, 4, 8]);
});

test("an answer that is larger than any that was asked for ends the connection before it is read", () => {
  const { lane, failures, passed } = rig();
  lane.push(Uint8Array.of(0x90, 0xff, 0xff, 0x3f));
  expect([passed, failures.map(({ message }) => message)]).toEqual([
    [],
    [expect.stringContaining("packet is too large")],
  ]);
});

test("when something cannot be taken now, only what came before it is acknowledged and the connection ends", async () => {
  const { publish, messages, sent, failures } = rig();
  for (const id of [1, 2, 3]) publish(id, `m${id}`);
  await messages[2]?.settle();
  await messages[1]?.settle({ kind: "later", reason: diskFull });
  expect(failures).toEqual([]);
  await messages[0]?.settle();
  expect(sent).toEqual(["puback 1"]);
  expect(failures).toEqual([new NotTaken(diskFull)]);
});

test("what was taken and not acknowledged is not taken again when the broker repeats it", async () => {
  const session = new InboundSession();
  const first = rig(session);
  for (const id of [1, 2, 3]) first.publish(id, `m${id}`);
  await first.messages[2]?.settle();
  await first.messages[0]?.settle({ kind: "later", reason: diskFull });
  first.lane.close();
  const second = rig(session);
  second.give(connack(true));
  for (const id of [1, 2, 3]) second.publish(id, `m${id}`, { dup: true });
  expect(second.messages.map(({ text }) => text)).toEqual(["m1"]);
  await second.messages[0]?.settle();
  // The second is still in the hands that the first connection put it into.
  expect(second.sent).toEqual(["puback 1"]);
  await first.messages[1]?.settle();
  expect(second.sent).toEqual(["puback 1", "puback 2", "puback 3"]);
});

test("another message under the same id is taken, and so is a repeated one of a session that the broker has lost", async () => {
  const session = new InboundSession();
  const first = rig(session);
  first.publish(1, "m1");
  await first.messages[0]?.settle();
  first.publish(2, "m2");
  first.lane.close();
  const second = rig(session);
  second.give(connack(true));
  second.publish(1, "m1", { dup: true }); // its acknowledgement got lost, or it is a new one: a double harms less
  second.publish(2, "other", { dup: true });
  expect(second.messages.map(({ text }) => text)).toEqual(["m1", "other"]);
  second.lane.close();
  const third = rig(session);
  third.give(connack(false));
  third.publish(2, "other", { dup: true });
  expect(third.messages.map(({ text }) => text)).toEqual(["other"]);
});

test("quality 2 is taken once, received when it is on the disk and completed when it is released", async () => {
  const session = new InboundSession();
  const first = rig(session);
  first.publish(7, "m", { qos: 2 });
  expect(first.sent).toEqual([]);
  await first.messages[0]?.settle();
  expect(first.sent).toEqual(["pubrec 7"]);
  first.lane.close();
  const second = rig(session);
  second.give(connack(true));
  second.publish(7, "m", { qos: 2, dup: true });
  await turn();
  expect(second.messages).toEqual([]);
  expect(second.sent).toEqual(["pubrec 7"]);
  second.give({ cmd: "pubrel", messageId: 7 });
  second.give({ cmd: "pubrel", messageId: 7 });
  expect(second.sent).toEqual(["pubrec 7", "pubcomp 7", "pubcomp 7"]);
  second.publish(7, "m", { qos: 2 });
  expect(second.messages.map(({ text }) => text)).toEqual(["m"]);
});

test("of quality 0 nothing is acknowledged, and what cannot be taken is lost without ending the connection", async () => {
  const { publish, messages, sent, failures } = rig();
  publish(0, "m", { qos: 0 });
  await messages[0]?.settle({ kind: "later", reason: diskFull });
  expect([sent, failures]).toEqual([[], []]);
});

test("everything else is mqtt.js's", () => {
  const { give, passed, messages } = rig();
  const packets: Packet[] = [
    connack(false),
    { cmd: "suback", messageId: 3, granted: [1] },
    { cmd: "puback", messageId: 4 },
    { cmd: "pingresp" },
  ];
  for (const packet of packets) give(packet);
  expect(Buffer.concat(passed)).toEqual(Buffer.concat(packets.map((packet) => generate(packet))));
  expect(messages).toEqual([]);
});

test("a packet that violates the protocol ends the connection with a sentence", () => {
  for (const [bytes, reason] of [
    [[0x36, 0], "reserved packet type or flags"],
    [[0x30, 4, 0, 9, 97, 98], "packet ends early"],
    [[0x30, 0xff, 0xff, 0xff, 0xff, 1], "remaining length has more than four bytes"],
    [[0x90, 0x80, 0x80, 0x80, 0x01], "packet is too large"],
  ] as const) {
    const { lane, failures } = rig();
    lane.push(Uint8Array.from(bytes));
    expect(failures).toMatchObject([{ code: "broker_error.protocol", params: { reason } }]);
  }
});

test("a message that is too large is let go by in pieces, acknowledged and told of; the next one is taken", async () => {
  const { lane, messages, sent, tooLarge } = rig();
  const large = generate({
    cmd: "publish",
    topic: "big",
    payload: Buffer.alloc(3 * PACKET_BYTES_MAX),
    qos: 1,
    dup: false,
    retain: false,
    messageId: 9,
  });
  for (let index = 0; index < large.length; index += 65_536) lane.push(large.subarray(index, index + 65_536));
  lane.push(
    generate({
      cmd: "publish",
      topic: "a",
      payload: "next",
      qos: 1,
      dup: false,
      retain: false,
      messageId: 10,
    }),
  );
  await turn();
  expect(tooLarge.map(({ topic }) => topic)).toEqual(["big"]);
  expect(messages.map(({ text }) => text)).toEqual(["next"]);
  expect(sent).toEqual(["puback 9"]);
});

test("to finish is to begin nothing more and to acknowledge what is in progress", async () => {
  const { lane, publish, messages, sent } = rig();
  publish(1, "m1");
  let isFinished = false;
  const finished = lane.finish().then(() => {
    isFinished = true;
  });
  publish(2, "m2");
  expect(messages.map(({ text }) => text)).toEqual(["m1"]);
  await turn();
  expect(isFinished).toBe(false);
  await messages[0]?.settle();
  await finished;
  expect(sent).toEqual(["puback 1"]);
});

describe("however the bytes are cut", () => {
  const packet = fc.oneof(
    fc.record({
      cmd: fc.constant("publish" as const),
      topic: fc
        .string({ minLength: 1, maxLength: 20, unit: "grapheme" })
        .filter((topic) => !/[+#\0]/.test(topic)),
      payload: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      qos: fc.constantFrom<0 | 1 | 2>(0, 1, 2),
      dup: fc.constant(false),
      retain: fc.boolean(),
      messageId: fc.integer({ min: 1, max: 65_535 }),
    }),
    fc.constant<Packet>({ cmd: "pingresp" }),
  );

  test.each([4, 5] as const)("the same messages come out, MQTT version %p", (protocolVersion) => {
    fc.assert(
      fc.property(
        fc.array(packet, { maxLength: 20 }),
        fc.array(fc.integer({ min: 1, max: 50 })),
        (packets, cuts) => {
          const bytes = Buffer.concat(
            packets.map((candidate) => generate(candidate as Packet, { protocolVersion })),
          );
          const seen: string[] = [];
          const lane = new InboundLane({
            protocolVersion,
            session: new InboundSession(),
            take: async ({ topic, payload, qos, retain }) => {
              seen.push(`${topic} ${Buffer.from(payload).toString("hex")} ${qos} ${retain}`);
              return taken;
            },
            tooLarge: () => undefined,
            pass: () => undefined,
            send: () => undefined,
            fail: (error) => {
              throw error;
            },
            onRoom: () => undefined,
          });
          let position = 0;
          for (const cut of cuts) {
            lane.push(bytes.subarray(position, position + cut));
            position += cut;
          }
          lane.push(bytes.subarray(position));
          const expected = packets.flatMap((candidate) =>
            candidate.cmd === "publish"
              ? [
                  `${candidate.topic} ${candidate.payload.toString("hex")} ${candidate.qos} ${candidate.retain}`,
                ]
              : [],
          );
          // One id that is used twice at once is one message; brokers do not do that.
          const ids = packets.flatMap((candidate) =>
            candidate.cmd === "publish" && candidate.qos > 0 ? [candidate.messageId] : [],
          );
          fc.pre(new Set(ids).size === ids.length);
          expect(seen).toEqual(expected);
        },
      ),
    );
  });

  test("bytes of any kind end the connection at worst", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 10 }), (chunks) => {
        const { lane } = rig();
        for (const chunk of chunks) lane.push(Buffer.from(chunk));
      }),
    );
  });
});
