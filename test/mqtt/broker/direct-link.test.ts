import { expect, test } from "bun:test";
import { PUBACK, PUBCOMP, PUBREC } from "../../../src/lib/mqtt/packet-writer.ts";
import type { PublishPacket, Subscription } from "../../../src/lib/mqtt/packets.ts";
import { TopicTree } from "../../../src/lib/mqtt/topic-tree.ts";
import { DirectLink, type DirectTree } from "../../../src/mqtt/broker/direct-link.ts";
import { SharedGroups } from "../../../src/mqtt/broker/shared-groups.ts";
import { SubscriptionCounts } from "../../../src/mqtt/broker/subscription-counts.ts";
import { receiversOf } from "../../../src/mqtt/topics/receivers.ts";

function createFixture() {
  const tree: DirectTree = new TopicTree();
  const open = (name: string) => {
    const received: PublishPacket[] = [];
    const released: number[] = [];
    const link = new DirectLink(
      {
        brokerClientId: name,
        space: "tenant",
        sink: {
          deliver: (message) => received.push(message),
          release: (id) => released.push(id),
          lost: () => undefined,
          isCongested: () => false,
          hasRoom: () => true,
        },
        closed: () => undefined,
      },
      {
        key: name,
        owner: { tenantId: "tenant", credentialId: name },
        tree,
        sharedGroups: new SharedGroups(),
        counts: new SubscriptionCounts(),
      },
    );
    const subscribe = (topic: string, more: Partial<Subscription> = {}) =>
      link.subscribe(
        [
          {
            topic,
            qos: 1,
            noLocal: false,
            retainAsPublished: false,
            retainHandling: 0,
            identifier: 0,
            ...more,
          },
        ],
        () => undefined,
      );
    return { link, received, released, subscribe };
  };
  const publish = (topic: string, { qos = 1 as 0 | 1 | 2, retain = false, from = "sender" } = {}) => {
    const message = { topic, payload: Buffer.from("x"), qos, retain };
    const isSender = ({ brokerClientId }: DirectLink) => brokerClientId === from;
    for (const [link, grant] of receiversOf(tree.match(topic), message, isSender))
      link.deliver({ ...message, ...grant });
  };
  return { open, publish };
}

test("a client with several matching subscriptions gets a message once, with the best of them", () => {
  const { open, publish } = createFixture();
  const { received, subscribe } = open("a");
  subscribe("t/#", { qos: 0 });
  subscribe("t/+", { qos: 2, retainAsPublished: true });
  publish("t/x", { qos: 2, retain: true });
  expect(received).toMatchObject([{ topic: "t/x", qos: 2, retain: true, duplicate: false }]);
});

test("a message is delivered with the QoS that was granted, and not as retained", () => {
  const { open, publish } = createFixture();
  const { received, subscribe } = open("a");
  subscribe("t", { qos: 1 });
  publish("t", { qos: 2, retain: true });
  publish("t", { qos: 0 });
  expect(received).toMatchObject([
    { qos: 1, retain: false, packetId: 1 },
    { qos: 0, packetId: 0 },
  ]);
});

test("a client does not hear its own messages by a subscription without local ones, but by another", () => {
  const { open, publish } = createFixture();
  const { received, subscribe } = open("a");
  subscribe("t", { noLocal: true });
  publish("t", { from: "a" });
  expect(received).toEqual([]);
  subscribe("#");
  publish("t", { from: "a" });
  expect(received.length).toBe(1);
});

test("a subscription that is made again replaces the one before, and one that is removed hears nothing", () => {
  const { open, publish } = createFixture();
  const { link, received, subscribe } = open("a");
  subscribe("t", { qos: 0 });
  subscribe("t", { qos: 2 });
  publish("t", { qos: 2 });
  expect(received).toMatchObject([{ qos: 2 }]);
  link.unsubscribe(["t"], () => undefined);
  publish("t");
  expect(received.length).toBe(1);
  expect(link.filters.has("t")).toBe(false);
});

test("a client that has gone hears nothing, and what is sent to it alone goes nowhere", () => {
  const { open, publish } = createFixture();
  const { link, received, subscribe } = open("a");
  subscribe("t");
  link.close();
  publish("t");
  link.sendRetained({ topic: "tenant/t", payload: Buffer.from("x"), qos: 1 });
  expect(received).toEqual([]);
});

test("an identifier is used again only after the acknowledgement, also after all have been used", () => {
  const { open, publish } = createFixture();
  const { link, received, subscribe } = open("a");
  subscribe("t");
  publish("t"); // never acknowledged
  for (let count = 0; count < 70_000; count++) {
    publish("t");
    link.acknowledge(PUBACK, received.at(-1)?.packetId ?? 0);
  }
  expect(received.filter(({ packetId }) => packetId === 1).length).toBe(1);
  expect(received.every(({ packetId }) => packetId >= 1 && packetId <= 65_535)).toBe(true);
});

test("PUBREC of a QoS 2 message is answered, and frees its identifier with PUBCOMP", () => {
  const { open, publish } = createFixture();
  const { link, received, released, subscribe } = open("a");
  subscribe("t", { qos: 2 });
  publish("t", { qos: 2 });
  link.acknowledge(PUBREC, 1);
  expect(released).toEqual([1]);
  link.acknowledge(PUBCOMP, 1);
  publish("t", { qos: 2 });
  expect(received.map(({ packetId }) => packetId)).toEqual([1, 2]);
});
