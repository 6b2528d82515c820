import { expect, test } from "bun:test";
import fc from "fast-check";
import { PUBACK, PUBCOMP, PUBREC } from "../../../src/lib/mqtt/packet-writer.ts";
import type { Qos } from "../../../src/lib/mqtt/packets.ts";
import { clientFilterMatches } from "../../../src/lib/mqtt/reserved-topics.ts";
import type { Session } from "../../../src/mqtt/session/session.ts";
import { open } from "../../../src/mqtt/topics/envelope.ts";
import { type BrokerPeer, startBroker } from "../broker-fixture.ts";

const FILTERS = ["#", "a/#", "a/+", "+/b", "a/b", "/", "+/+", "a//b", "$SYS/#", "$SYS/x", "+/x", "/#", "+"];
const TOPICS = ["a", "a/b", "/", "a//b", "$SYS/x", "b/b", "a/b/c", "/a", "$SYS"];

/** A client that keeps what MQTT asks of it: the identifiers of messages of QoS 2 between PUBLISH and PUBREL, over all connections. */
class ModelClient {
  readonly subscriptions = new Map<string, { qos: Qos; noLocal: boolean }>();
  /** Messages in the order in which they were received first or again, as `number:QoS`. */
  readonly received: string[] = [];
  readonly expected: string[] = [];
  readonly #halfReceived = new Set<number>();
  #unanswered: { id: number; header: number }[] = [];
  #peer: BrokerPeer | undefined;
  #seen = { received: 0, released: 0 };

  constructor(public session: Session) {}

  get isHere(): boolean {
    return this.#peer !== undefined;
  }

  connect(broker: Awaited<ReturnType<typeof startBroker>>, room: number): void {
    if (this.isHere) return;
    this.#seen = { received: 0, released: 0 };
    this.#peer = broker.attach(this.session, room);
    this.read();
  }

  disconnect(): void {
    this.#peer?.link.close();
    this.#peer = undefined;
    this.#unanswered = [];
  }

  subscribe(topic: string, qos: Qos, noLocal: boolean): void {
    if (!this.isHere) return;
    this.subscriptions.set(topic, { qos, noLocal });
    const options = { retainAsPublished: false, retainHandling: 0, identifier: 0 } as const;
    this.#peer?.link.subscribe([{ topic, qos, noLocal, ...options }], () => {});
  }

  unsubscribe(topic: string): void {
    if (this.isHere && this.subscriptions.delete(topic)) this.#peer?.link.unsubscribe([topic], () => {});
  }

  /** Notes a message that is about to be published. */
  expect(no: number, message: { topic: string; qos: Qos; isOwn: boolean }): void {
    const matching = [...this.subscriptions].filter(
      ([filter, { noLocal }]) => clientFilterMatches(filter, message.topic) && !(noLocal && message.isOwn),
    );
    const qos = Math.max(-1, ...matching.map(([, granted]) => Math.min(granted.qos, message.qos)));
    if (qos > 0 || (qos === 0 && this.isHere)) this.expected.push(`${no}:${qos}`);
  }

  read(): void {
    const { received = [], released = [] } = this.#peer ?? {};
    for (const { packetId, qos, duplicate, payload } of received.slice(this.#seen.received)) {
      if (qos > 0) {
        expect(this.#unanswered.map(({ id }) => id)).not.toContain(packetId);
        this.#unanswered.push({ id: packetId, header: qos === 1 ? PUBACK : PUBREC });
      }
      const isRepetition = qos === 2 && this.#halfReceived.has(packetId);
      if (isRepetition) expect(duplicate).toBe(true);
      else this.received.push(`${Buffer.from(open(payload).payload).toString()}:${qos}`);
      if (qos === 2) this.#halfReceived.add(packetId);
    }
    for (const id of released.slice(this.#seen.released)) {
      this.#halfReceived.delete(id);
      this.#unanswered = this.#unanswered.filter((each) => each.id !== id);
      this.#unanswered.push({ id, header: PUBCOMP });
    }
    this.#seen = { received: received.length, released: released.length };
  }

  /** Answers the oldest message or PUBREL. Returns `false` if there is none. */
  answer(): boolean {
    const next = this.#unanswered.shift();
    if (next === undefined) return false;
    this.#peer?.answer(next.header, next.id);
    this.read();
    return true;
  }
}

const step = fc.record({
  kind: fc.constantFrom(
    "publish",
    "publish",
    "publish",
    "answer",
    "answer",
    "connect",
    "disconnect",
    "subscribe",
    "unsubscribe",
    "restart",
  ),
  client: fc.nat(2),
  qos: fc.constantFrom<Qos>(0, 1, 2),
  topic: fc.constantFrom(...TOPICS),
  filter: fc.constantFrom(...FILTERS),
  isOwn: fc.boolean(),
  room: fc.integer({ min: 1, max: 6 }),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Runs the steps, and lets each client receive what is left. */
async function run(steps: readonly Step[], queuedPerClientMax: number): Promise<readonly ModelClient[]> {
  const broker = await startBroker({ queuedPerClientMax });
  const clients = ["x", "y", "z"].map((name) => new ModelClient(broker.session(name, [])));
  const restart = async () => {
    for (const each of clients) each.disconnect();
    for (const [index, each] of clients.entries())
      each.session =
        index === 0
          ? await broker.restart(each.session)
          : (broker.store.get(each.session.key) ?? each.session);
  };
  for (const [no, { kind, client: index, qos, topic, filter, isOwn, room }] of steps.entries()) {
    const client = clients[index] as ModelClient; // one of three
    if (kind === "publish") {
      for (const each of clients) each.expect(no, { topic, qos, isOwn: isOwn && each === client });
      const from = isOwn ? { from: `${client.session.key}#1` } : {};
      await broker.publish(topic, { qos, body: String(no), ...from });
      for (const each of clients) each.read();
    } else if (kind === "answer") client.answer();
    else if (kind === "connect") client.connect(broker, room);
    else if (kind === "disconnect") client.disconnect();
    else if (kind === "subscribe") client.subscribe(filter, qos, isOwn);
    else if (kind === "unsubscribe") client.unsubscribe(filter);
    else await restart();
  }
  for (const client of clients) {
    client.connect(broker, 3);
    while (client.answer());
    expect(client.session.queue).toEqual([]);
    client.disconnect();
  }
  expect(broker.store.usageOf("x").queuedBytes).toBe(0);
  await broker.stop();
  return clients;
}

const steps = fc.array(step, { minLength: 20, maxLength: 200, size: "max" });

test("durable sessions receive what they subscribed to, in order, and each message of QoS 2 once", async () => {
  const check = async (all: readonly Step[]) => {
    for (const { received, expected } of await run(all, 1_000)) {
      const first = [...new Set(received)];
      const isStored = (message: string) => !message.endsWith(":0"); // QoS 0 overtakes what waits
      expect(first.filter(isStored)).toEqual(expected.filter(isStored));
      expect(first.toSorted()).toEqual(expected.toSorted());
      const exact = received.filter((message) => !message.endsWith(":1"));
      expect(exact.length).toBe(new Set(exact).size);
    }
  };
  await fc.assert(fc.asyncProperty(steps, check), { numRuns: 40 });
});

test("a full queue of a durable session never makes its client discard a message", async () => {
  const check = async (all: readonly Step[]) => {
    for (const { received, expected } of await run(all, 4))
      for (const message of received) expect(expected).toContain(message);
  };
  await fc.assert(fc.asyncProperty(steps, check), { numRuns: 40 });
});
