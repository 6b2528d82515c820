import { expect, test } from "bun:test";
import type { Client } from "aedes";
import { AedesLink } from "../../../src/mqtt/broker/aedes-link.ts";

type Done = (error?: Error | null) => void;

/** A link at a broker that answers when the test says so. */
function createFixture() {
  const responses: Done[] = [];
  const sink = {
    deliver: () => {},
    release: () => {},
    lost: () => {},
    isCongested: () => false,
    hasRoom: () => true,
  };
  const link = new AedesLink({
    ...{ brokerClientId: "a#1", durable: false, space: "a", sink },
  });
  const broker = {
    subscribe: (_: unknown, done: Done) => responses.push(done),
    unsubscribe: () => {},
    once: () => {},
  };
  const connect = (restored: string[] = []) => {
    const subscriptions = restored.map(
      (filter) =>
        [`a/${filter}`, { ...{ qos: 1 as const, identifier: 0 }, nl: false, rap: false, rh: 0 }] as const,
    );
    const session = { subscriptions: new Map(subscriptions), queue: [] };
    link.open(broker as unknown as Client, session); // it uses these functions alone
    return () => void link.write(Buffer.from([0x20, 2, 0, 0]));
  };
  const subscription = { topic: "x/+", qos: 1 as const, noLocal: false, retainAsPublished: false };
  const subscribe = () => link.subscribe([{ ...subscription, retainHandling: 0, identifier: 0 }], () => {});
  return { link, responses, connect, subscribe };
}

test("a client listens only once the broker has its subscription: a message before that would be lost", () => {
  const { link, responses, connect, subscribe } = createFixture();
  connect()();
  subscribe();
  expect([link.filters.has("x/+"), link.filters.listensTo("x/1")]).toEqual([true, false]);
  responses[0]?.();
  expect(link.filters.listensTo("x/1")).toBe(true);
  link.unsubscribe(["x/+"], () => {});
  expect(link.filters.listensTo("x/1")).toBe(false);
});

test("a refused subscription, and one that was taken back meanwhile, hears nothing", () => {
  const { link, responses, connect, subscribe } = createFixture();
  connect()();
  subscribe();
  responses[0]?.(new Error("refused"));
  expect(link.filters.listensTo("x/1")).toBe(false);
  subscribe();
  link.unsubscribe(["x/+"], () => {});
  responses[1]?.();
  expect(link.filters.listensTo("x/1")).toBe(false);
});

test("the subscriptions of a session are back with the broker's CONNACK", () => {
  const { link, connect } = createFixture();
  const acknowledge = connect(["y/#"]);
  expect(link.filters.listensTo("y/1")).toBe(false);
  acknowledge();
  expect(link.filters.listensTo("y/1")).toBe(true);
});
