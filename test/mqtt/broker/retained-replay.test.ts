import { expect, test } from "bun:test";
import { RetainedReplay } from "../../../src/mqtt/broker/client.ts";
import { ConnectionTurns } from "../../../src/mqtt/connection/connection-turns.ts";

const subscriptionTo = (topic: string) => ({
  topic,
  qos: 0 as const,
  noLocal: false,
  retainAsPublished: false,
  retainHandling: 0,
  identifier: 0,
});
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test("connections that subscribe in the same turn are sent their retained messages in turns of their own", async () => {
  let now = 0;
  const connectionTurns = new ConnectionTurns({ monotonic: () => now });
  const sent: string[] = [];
  const replays = ["a", "b", "c"].map(
    (name) =>
      new RetainedReplay(connectionTurns, ({ topic }) => {
        sent.push(`${name} ${topic}`);
        now += 10; // more than a turn may take
        return [];
      }),
  );
  for (const replay of replays) replay.add([subscriptionTo("r/#")]);
  expect(sent).toEqual(["a r/#"]);
  await nextTurn();
  expect(sent).toEqual(["a r/#", "b r/#"]);
  await nextTurn();
  expect(sent).toEqual(["a r/#", "b r/#", "c r/#"]);
});

test("a connection that closes while it waits is sent nothing", async () => {
  let now = 0;
  const connectionTurns = new ConnectionTurns({ monotonic: () => now });
  const sent: string[] = [];
  const replayOf = (name: string) =>
    new RetainedReplay(connectionTurns, () => {
      sent.push(name);
      now += 10;
      return [];
    });
  const [first, closed] = [replayOf("first"), replayOf("closed")];
  first.add([subscriptionTo("r/#")]);
  closed.add([subscriptionTo("r/#")]);
  closed.stop();
  await nextTurn();
  await nextTurn();
  expect(sent).toEqual(["first"]);
});

test("a filter that matches many retained messages is sent them in several turns, in between with those of later filters", async () => {
  let now = 0;
  const connectionTurns = new ConnectionTurns({ monotonic: () => now });
  const sent: string[] = [];
  const replay = new RetainedReplay(connectionTurns, function* ({ topic }) {
    for (let index = 0; index < 4; index++) {
      sent.push(`${topic} ${index}`);
      now += 5; // two messages take more than a turn may
      yield;
    }
  });
  replay.add([subscriptionTo("many/#")]);
  expect(sent).toHaveLength(2);
  replay.add([subscriptionTo("later")]);
  expect(sent).toHaveLength(2);
  const turns: number[] = [];
  while (sent.length < 8) {
    await nextTurn();
    turns.push(sent.length);
  }
  expect(turns).toEqual([4, 6, 8]);
  expect(sent.at(-1)).toBe("later 3");
});
