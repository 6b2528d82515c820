import { expect, test } from "bun:test";
import { DomainError } from "../../../../src/lib/core/domain-error.ts";
import type { Text } from "../../../../src/lib/texts/text.ts";
import { MessageTaker } from "../../../../src/modules/integrations/bridge/message-taker.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

const limited = new DomainError("limited", { code: "rate.limited", params: {} }, { retryAfterSeconds: 5 });

function rig(limits?: { waitMs: number; waiting: number }) {
  const clock = new FakeClock();
  const counts = { received: 0, ignored: 0, tooLarge: 0, dropped: 0 };
  const notes: Text[] = [];
  let attempts = 0;
  const taker = new MessageTaker({
    integrationId: "mapping",
    settings: { topicFilter: "plant/#" } as never,
    deviceIn: () => undefined,
    handle: async () => {
      attempts++;
      throw limited;
    },
    counts,
    ...(limits && { limits }),
    note: (text) => notes.push(text),
    signal: new AbortController().signal,
    clock,
    log: { error: () => undefined } as never,
  });
  const take = (packetId: number, topic = "plant/1") =>
    taker.take({
      topic,
      payload: Buffer.from("1"),
      qos: packetId === 0 ? 0 : 1,
      retain: false,
      packetId,
      duplicate: false,
    });
  /** Lets time pass, and promises settle after each second. */
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      await Bun.sleep(0);
      clock.advance(1_000);
    }
    await Bun.sleep(0);
  };
  return { take, pass, counts, notes, attempts: () => attempts };
}

test("a message whose rate stays exhausted is given up after a while, and counted", async () => {
  const { take, pass, counts, notes, attempts } = rig({ waitMs: 60_000, waiting: 10 });
  const outcome = take(0);
  await pass(61);
  expect(await outcome).toMatchObject({ kind: "later" });
  expect([attempts(), counts.dropped, notes.map(({ code }) => code)]).toEqual([
    13,
    1,
    ["broker_error.message_lost"],
  ]);
});

test("one that its client sends again is not counted as dropped", async () => {
  const { take, pass, counts, notes } = rig({ waitMs: 10_000, waiting: 10 });
  const outcome = take(1);
  await pass(11);
  expect(await outcome).toMatchObject({ kind: "later" });
  expect([counts.dropped, notes]).toEqual([0, []]);
});

test("no more than a number of messages wait", async () => {
  const { take, pass, counts } = rig({ waitMs: 60_000, waiting: 10 });
  const outcomes = Array.from({ length: 12 }, () => take(0));
  await pass(1);
  expect(counts.dropped).toBe(2);
  await pass(61);
  await Promise.all(outcomes);
  expect(counts.dropped).toBe(12);
});

test("a message of another broker waits on: the broker keeps what does not fit into the window", async () => {
  const { take, pass, counts, attempts } = rig();
  void take(1);
  await pass(600);
  expect([attempts(), counts.dropped]).toEqual([121, 0]);
});

test("a message whose topic is too long is refused, counted and named in short", async () => {
  const { take, counts, notes, attempts } = rig();
  expect(await take(1, `plant/${"x".repeat(60_000)}`)).toEqual({ kind: "taken" });
  expect([attempts(), counts.tooLarge]).toEqual([0, 1]);
  expect(notes.map(({ code }) => code)).toEqual(["broker_error.topic_too_long"]);
  expect(JSON.stringify(notes).length).toBeLessThan(200);
});
