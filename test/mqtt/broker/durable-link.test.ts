import { afterEach, beforeEach, expect, test } from "bun:test";
import { PUBACK, PUBCOMP, PUBREC } from "../../../src/lib/mqtt/packet-writer.ts";
import type { PublishPacket } from "../../../src/lib/mqtt/packets.ts";
import { startBroker } from "../broker-fixture.ts";

let broker: Awaited<ReturnType<typeof startBroker>>;
beforeEach(async () => {
  broker = await startBroker();
});
afterEach(() => broker.stop());

const topics = (messages: readonly Pick<PublishPacket, "topic">[]) => messages.map(({ topic }) => topic);

test("what was published while a client was away comes in order, as much as it takes at a time", async () => {
  const session = broker.session("a", ["t/#"]);
  for (const topic of ["t/1", "t/2", "t/3"]) await broker.publish(topic);
  const { received, answer: response } = broker.attach(session, 2);
  await broker.publish("t/4");
  expect(topics(received)).toEqual(["t/1", "t/2"]);
  response(PUBACK, received[1]?.packetId ?? 0);
  expect(topics(received)).toEqual(["t/1", "t/2", "t/3"]);
  expect(topics(session.queue)).toEqual(["tenant~x/t/1", "tenant~x/t/3", "tenant~x/t/4"]);
  for (const index of [0, 2, 3]) response(PUBACK, received[index]?.packetId ?? 0);
  expect(topics(received)).toEqual(["t/1", "t/2", "t/3", "t/4"]);
  expect(session.queue).toEqual([]);
});

test("what was not acknowledged is sent again with its identifier, also after a restart", async () => {
  const session = broker.session("a", ["t"], { qos: 2 });
  const first = broker.attach(session);
  for (let count = 0; count < 3; count++) await broker.publish("t", { qos: 2 });
  const ids = first.received.map(({ packetId }) => packetId);
  first.answer(PUBREC, ids[1] ?? 0);
  expect(first.released).toEqual([ids[1] ?? 0]);
  first.link.close();
  await broker.publish("t", { qos: 1 });
  const restored = await broker.restart(session);
  const second = broker.attach(restored);
  expect(second.received.map(({ packetId, duplicate, qos }) => ({ packetId, duplicate, qos }))).toEqual([
    { packetId: ids[0] ?? 0, duplicate: true, qos: 2 },
    { packetId: ids[2] ?? 0, duplicate: true, qos: 2 },
    { packetId: expect.any(Number), duplicate: false, qos: 1 },
  ]);
  expect(second.released).toEqual([ids[1] ?? 0]);
  expect(new Set([...ids, second.received[2]?.packetId]).size).toBe(4);
  second.answer(PUBCOMP, ids[1] ?? 0);
  expect(restored.queue.length).toBe(3);
});

test("a message that the client cannot take makes way for all that follow", async () => {
  await broker.stop();
  broker = await startBroker({ queuedPerClientMax: 5_000 });
  const session = broker.session("a", ["t/#"]);
  for (let count = 0; count < 5_000; count++) await broker.publish("t/1");
  const { received } = broker.attach(session, "refuses");
  expect(received.length).toBe(5_000);
  expect(session.queue).toEqual([]);
});

test("a client goes on receiving once it has room again", async () => {
  const session = broker.session("a", ["t"]);
  const peer = broker.attach(session, 0);
  await broker.publish("t");
  expect(peer.received).toEqual([]);
  peer.link.close();
  const { received } = broker.attach(session, 1);
  expect(received.length).toBe(1);
});

test("the queue is sent once the client has its answer to CONNECT, and not after its connection ended", async () => {
  const session = broker.session("a", ["t/#"]);
  await broker.publish("t/1");
  const { link, received, answer: response } = broker.attach(session, 1, { isResumed: false });
  await broker.publish("t/2");
  expect(received).toEqual([]);
  link.resume?.();
  expect(topics(received)).toEqual(["t/1"]);
  link.close();
  response(PUBACK, received[0]?.packetId ?? 0);
  expect(topics(received)).toEqual(["t/1"]);
  expect(topics(session.queue)).toEqual(["tenant~x/t/2"]);
});

test("messages of QoS 0 are for clients that are here, and do not wait", async () => {
  const session = broker.session("a", ["t"]);
  await broker.publish("t", { qos: 0 });
  const { received } = broker.attach(session, 0);
  await broker.publish("t", { qos: 0 });
  expect(received).toMatchObject([{ qos: 0, packetId: 0 }]);
  expect(session.queue).toEqual([]);
});

test("a session receives a message once, with the best of its subscriptions, and none of its own if it asked so", async () => {
  const best = broker.session("a", ["t/#"]);
  broker.store.subscribe(best, "tenant~x/t/+", { qos: 2, nl: false, rap: true, rh: 0, identifier: 0 });
  const deaf = broker.session("b", ["t/#"], { nl: true });
  await broker.publish("t/1", { qos: 2, retain: true, from: `${deaf.key}#7` });
  expect(best.queue).toMatchObject([{ qos: 2, retain: true }]);
  expect(deaf.queue).toEqual([]);
  await broker.publish("t/1", { from: `${best.key}#7` });
  expect(deaf.queue).toMatchObject([{ qos: 1, retain: false }]);
});

test("a subscription that was removed, and a session that ended, keep nothing", async () => {
  const session = broker.session("a", ["t", "u"]);
  const { link } = broker.attach(session, 0);
  link.unsubscribe(["t"], () => {});
  await broker.publish("t");
  expect(session.queue).toEqual([]);
  broker.store.delete(session);
  await broker.publish("u");
  link.sendRetained({ topic: "tenant~x/u", payload: Buffer.from("x"), qos: 1 });
  expect(session.queue).toEqual([]);
  expect(broker.store.usageOf("x").queuedBytes).toBe(0);
});

test("a full queue gives up the oldest message that was not sent", async () => {
  const session = broker.session("a", ["t/#"]);
  const { received, answer: response } = broker.attach(session, 1);
  for (let number = 1; number <= 12; number++) await broker.publish(`t/${number}`);
  expect(topics(received)).toEqual(["t/1"]);
  expect(session.queue.length).toBe(10);
  response(PUBACK, received[0]?.packetId ?? 0);
  expect(topics(received)).toEqual(["t/1", "t/4"]);
  expect(session.queue.length).toBe(9);
  expect(broker.store.dropped).toBe(2);
});

test("a message in flight keeps its identifier while the queue is full, also over connections", async () => {
  const session = broker.session("a", ["t/#"], { qos: 2 });
  const first = broker.attach(session);
  for (let number = 1; number <= 12; number++) await broker.publish(`t/${number}`, { qos: 2 });
  expect(first.received.length).toBe(10);
  expect(broker.store.dropped).toBe(2);
  first.link.close();
  const { received } = broker.attach(session);
  expect(received).toMatchObject(
    first.received.map(({ topic, packetId }) => ({ topic, packetId, duplicate: true })),
  );
});

test("an acknowledgement of an unknown identifier changes nothing", async () => {
  const session = broker.session("a", ["t"], { qos: 2 });
  const { received, released, answer: response } = broker.attach(session, 1);
  await broker.publish("t", { qos: 2 });
  const id = received[0]?.packetId ?? 0;
  response(PUBREC, id + 1);
  response(PUBACK, id + 2);
  expect(session.queue).toMatchObject([{ messageId: id }]);
  response(PUBREC, id);
  response(PUBCOMP, id);
  expect(released).toEqual([id + 1, id]);
  expect(session.queue).toEqual([]);
});

test("identifiers of acknowledged messages are used again", async () => {
  const session = broker.session("a", ["t"]);
  const { received, answer: response } = broker.attach(session, 1);
  // One more than there are identifiers.
  for (let count = 0; count < 65_536; count++) {
    await broker.publish("t");
    response(PUBACK, received.pop()?.packetId ?? 0);
  }
  await broker.publish("t");
  expect(received.map(({ packetId }) => packetId)).toEqual([2]);
});
