import { expect, test } from "bun:test";
import { ConnectionTurns } from "../../../src/mqtt/connection/connection-turns.ts";
import { systemClock } from "../../../src/platform/time/clock.ts";
import { connectPacket, publishPacket, RawClient } from "../raw-client.ts";
import { serverPerTest } from "../running.ts";

const start = serverPerTest();

test("a turn is over after some ms; who stopped goes on in the next ones, in order, each as far as there is time", async () => {
  let now = 1_000;
  const connectionTurns = new ConnectionTurns({ monotonic: () => now });
  expect(connectionTurns.isTurnOver).toBe(false);
  now += 7;
  expect(connectionTurns.isTurnOver).toBe(false);
  now += 1;
  expect(connectionTurns.isTurnOver).toBe(true);
  const done: string[] = [];
  const worker = (name: string, ms: number) => ({
    resume() {
      done.push(name);
      now += ms;
    },
  });
  const gone = worker("gone", 0);
  connectionTurns.enqueue(worker("first", 5));
  connectionTurns.enqueue(gone);
  connectionTurns.enqueue(worker("second", 5));
  connectionTurns.enqueue(worker("third", 0));
  connectionTurns.remove(gone);
  await new Promise((resolve) => setImmediate(resolve));
  expect(done).toEqual(["first", "second"]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(done).toEqual(["first", "second", "third"]);
});

test("tenants take turns, however much work waits", async () => {
  let now = 1_000;
  const connectionTurns = new ConnectionTurns({ monotonic: () => now });
  const done: string[] = [];
  const add = (tenantId: string, name: string) =>
    connectionTurns.enqueue({
      tenantId,
      resume() {
        done.push(name);
        now += 5;
      },
    });
  for (const name of ["a1", "a2", "a3", "a4"]) add("a", name);
  add("b", "b1");
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(done).toEqual(["a1", "b1", "a2", "a3", "a4"]);
});

test("a client whose every packet takes a turn is answered all the same, all of it and in order", async () => {
  let skew = 0;
  const clock = {
    ...systemClock,
    now: () => systemClock.now(),
    schedule: systemClock.schedule.bind(systemClock),
    // Every look at the clock finds that the turn is over.
    monotonic() {
      skew += 10;
      return systemClock.monotonic() + skew;
    },
  };
  const { port } = await start({ clock });
  const client = await RawClient.open(port, 5);
  client.send(connectPacket(5, { username: "dear" }));
  for (let id = 1; id <= 100; id++)
    client.send(publishPacket("v1/devices/me/telemetry", `{"a":${id}}`, { id }));
  await client.next("connack");
  for (let id = 1; id <= 100; id++) expect((await client.next("puback")).messageId).toBe(id);
});
