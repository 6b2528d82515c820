import { expect, test } from "bun:test";
import { EventFanOut } from "../../../src/modules/realtime/event-fan-out.ts";
import type { LiveEvent } from "../../../src/modules/realtime/realtime.types.ts";
import { until } from "../../support/until.ts";

const tenantId = "tenant" as Parameters<EventFanOut["add"]>[0];
const eventOf = (text: string): LiveEvent => ({ topic: "alarms", deviceId: undefined, textFor: () => text });
/** Longer than the work of one round of the event loop. */
const SPIN_MS = 10;

/** A reader whose subscriptions take long for each event. */
function slowReader() {
  const seen: string[] = [];
  return {
    seen,
    left: 0,
    isOpen: true,
    addEvent(event: LiveEvent) {
      seen.push(event.textFor("x"));
      const end = performance.now() + SPIN_MS;
      while (performance.now() < end);
    },
    leaveOut(_: string, count: number) {
      this.left += count;
    },
  };
}

test("events of one message reach many subscriptions in several rounds of the event loop, in their order", async () => {
  const fanOut = new EventFanOut();
  const readers = [slowReader(), slowReader()];
  const names = ["a", "b", "c"];
  for (const name of names) fanOut.add(tenantId, eventOf(name), readers);
  expect(readers.map(({ seen }) => seen.length)).toEqual([1, 0]);
  let rounds = 0;
  await until(() => ++rounds > 0 && readers.every(({ seen }) => seen.length === names.length));
  expect(rounds).toBeGreaterThan(names.length);
  for (const { seen } of readers) expect(seen).toEqual(names);
});

test("beyond a limit the oldest waiting events are omitted, and their readers are told", async () => {
  const fanOut = new EventFanOut();
  const first = slowReader();
  fanOut.add(tenantId, eventOf("slow"), [first, first]);
  const reader = {
    ...slowReader(),
    addEvent: (event: LiveEvent) => void reader.seen.push(event.textFor("x")),
  };
  for (let index = 0; index < 1_500; index++) fanOut.add(tenantId, eventOf(`${index}`), [reader]);
  await until(() => reader.seen.at(-1) === "1499");
  expect(reader.seen).toHaveLength(1_000);
  expect(reader.left).toBe(500);
});

test("a reader that has gone gets nothing", async () => {
  const fanOut = new EventFanOut();
  const [first, gone] = [slowReader(), slowReader()];
  fanOut.add(tenantId, eventOf("a"), [first, gone, first]);
  gone.isOpen = false;
  await until(() => first.seen.length === 2);
  expect(gone.seen).toEqual([]);
});
