import { mqttText as text } from "./load-packets.ts";

/**
 * Publishers and subscribers on topics of their own, in one process: what it has sent and received is bounded, so that no broker drops anything. Packets are
 * encoded once. Prints one JSON line.
 *
 * Arguments: port, user name (or `-`), password, pattern (`pairs`, `fan-out`, `fan-in`, `retained`, `offline`), QoS, number of clients, seconds.
 */
export interface TopicLoadResult {
  /** Messages that reached a subscriber, a second. */
  readonly deliveredPerSecond: number;
}

const [
  port = "1883",
  user = "-",
  password = "",
  pattern = "pairs",
  qosText = "0",
  countText = "50",
  secondsText = "3",
] = process.argv.slice(2);
const qos = Number(qosText);
const count = Number(countText);
const seconds = Number(secondsText);
const PAYLOAD = Buffer.alloc(100, "x");
const WARM_UP_MS = 500;
/** Messages that are on their way from one publisher. */
const IN_FLIGHT = 20;
const RETAINED_TOPICS = 5_000;
const QUEUED_EACH = 500;
const ID_MAX = 65_535;

const headed = (header: number, body: readonly number[]): Buffer => {
  const length = body.length < 128 ? [body.length] : [(body.length & 127) | 128, body.length >> 7];
  return Buffer.from([header, ...length, ...body]);
};

function connectPacket(clientId: string, isClean: boolean): Buffer {
  const credentials = user === "-" ? [] : [...text(user), ...text(password)];
  const flags = (user === "-" ? 0 : 0xc0) | (isClean ? 2 : 0);
  return headed(0x10, [...text("MQTT"), 4, flags, 0, 0, ...text(clientId), ...credentials]);
}

const subscribePacket = (filter: string): Buffer => headed(0x82, [0, 1, ...text(filter), qos]);

function publishPacket(topic: string, retain = false): Buffer {
  const id = qos > 0 ? [0, 1] : [];
  return headed(0x30 | (qos << 1) | (retain ? 1 : 0), [...text(topic), ...id, ...PAYLOAD]);
}

let delivered = 0;

/** A connection that counts what it receives, and acknowledges it. */
class Peer {
  readonly #socket: Promise<Bun.Socket>;
  #rest: Buffer = Buffer.alloc(0);
  #unsent: Buffer = Buffer.alloc(0);
  #opened: (() => void) | undefined;
  #subscribed: (() => void) | undefined;
  #nextId = 1;
  inFlight = 0;
  readonly #onAcknowledged: () => void;

  constructor(onAcknowledged: () => void = () => undefined) {
    this.#onAcknowledged = onAcknowledged;
    this.#socket = Bun.connect({
      hostname: "127.0.0.1",
      port: Number(port),
      socket: { data: (_, bytes) => this.#read(bytes), drain: () => void this.#flush() },
    });
  }

  async open(clientId: string, isClean = true): Promise<void> {
    const opened = new Promise<void>((resolve) => {
      this.#opened = resolve;
    });
    await this.write(connectPacket(clientId, isClean));
    await opened;
  }

  async subscribe(filter: string): Promise<void> {
    const subscribed = new Promise<void>((resolve) => {
      this.#subscribed = resolve;
    });
    await this.write(subscribePacket(filter));
    await subscribed;
  }

  async write(bytes: Buffer): Promise<void> {
    this.#unsent = this.#unsent.length === 0 ? bytes : Buffer.concat([this.#unsent, bytes]);
    await this.#flush();
  }

  async #flush(): Promise<void> {
    const socket = await this.#socket;
    if (this.#unsent.length === 0) return;
    const written = Math.max(socket.write(this.#unsent), 0);
    this.#unsent = this.#unsent.subarray(written);
  }

  /** Writes a packet `times` times, each with an identifier of its own. */
  async publish(packet: Buffer, times: number): Promise<void> {
    const all = Buffer.allocUnsafe(packet.length * times);
    for (let index = 0; index < times; index++) {
      const start = index * packet.length;
      packet.copy(all, start);
      if (qos === 0) continue;
      all.writeUInt16BE(this.#nextId, start + packet.length - PAYLOAD.length - 2);
      this.#nextId = this.#nextId === ID_MAX ? 1 : this.#nextId + 1;
    }
    this.inFlight += times;
    await this.write(all);
  }

  async end(): Promise<void> {
    (await this.#socket).end(Buffer.from([0xe0, 0]));
  }

  #read(received: Uint8Array): void {
    const bytes = this.#rest.length === 0 ? Buffer.from(received) : Buffer.concat([this.#rest, received]);
    const acks: number[] = [];
    let start = 0;
    for (;;) {
      const end = endOfPacket(bytes, start);
      if (end === 0) break;
      this.#packet(bytes, start, acks);
      start = end;
    }
    this.#rest = Buffer.from(bytes.subarray(start));
    if (acks.length > 0) void this.write(Buffer.from(acks));
  }

  #packet(bytes: Buffer, start: number, acks: number[]): void {
    const header = bytes[start] ?? 0;
    if (header === 0x20) {
      if (bytes[start + 3] !== 0) throw new Error(`connection refused: ${bytes[start + 3]}`);
      this.#opened?.();
    } else if (header === 0x90) this.#subscribed?.();
    else if (header === 0x40) {
      this.inFlight--;
      this.#onAcknowledged();
    } else if (header >> 4 === 3) {
      delivered++;
      if ((header & 6) === 0) return;
      const body = start + ((bytes[start + 1] ?? 0) < 128 ? 2 : 3);
      const id = body + 2 + bytes.readUInt16BE(body);
      acks.push(0x40, 2, bytes[id] ?? 0, bytes[id + 1] ?? 0);
    }
  }
}

/** Returns the end of the packet at `start`; 0 if it is incomplete. */
function endOfPacket(bytes: Buffer, start: number): number {
  const first = bytes[start + 1];
  if (first === undefined) return 0;
  const second = bytes[start + 2];
  if (first >= 128 && second === undefined) return 0;
  const end = first < 128 ? start + 2 + first : start + 3 + (first & 127) + ((second ?? 0) << 7);
  return end <= bytes.length ? end : 0;
}

async function untilDelivered(wanted: number): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (delivered < wanted) {
    if (performance.now() > deadline) throw new Error(`${delivered} of ${wanted} messages were delivered`);
    await Bun.sleep(1);
  }
}

/** Publishes for some seconds, with a bounded number of messages on their way. */
async function flow(publishers: readonly { peer: Peer; topic: string }[], copies: number): Promise<number> {
  let sent = 0;
  let isOver = false;
  const mayBeOnTheirWay = IN_FLIGHT * publishers.length;
  const loads = publishers.map(async ({ peer, topic }) => {
    const packet = publishPacket(topic);
    while (!isOver) {
      const room = Math.min(
        IN_FLIGHT - (qos > 0 ? peer.inFlight : 0),
        Math.ceil((mayBeOnTheirWay - (sent - delivered / copies)) / publishers.length),
      );
      if (room <= 0) {
        await new Promise<void>((resolve) => setImmediate(resolve));
        continue;
      }
      sent += room;
      await peer.publish(packet, room);
      if (qos === 0) peer.inFlight = 0;
    }
  });
  await Bun.sleep(WARM_UP_MS);
  const [before, startedAt] = [delivered, performance.now()];
  await Bun.sleep(seconds * 1000);
  const rate = ((delivered - before) / (performance.now() - startedAt)) * 1000;
  isOver = true;
  await Promise.all(loads);
  return rate;
}

async function opened(name: string, filter?: string): Promise<Peer> {
  const peer = new Peer();
  await peer.open(name);
  if (filter !== undefined) await peer.subscribe(filter);
  return peer;
}

const numbers = Array.from({ length: count }, (_, index) => index);
const run = process.pid;

const patterns: Record<string, () => Promise<number>> = {
  async pairs() {
    for (const index of numbers) await opened(`s${index}-${run}`, `bench/${run}/${index}`);
    const publishers = [];
    for (const index of numbers)
      publishers.push({ peer: await opened(`p${index}-${run}`), topic: `bench/${run}/${index}` });
    return await flow(publishers, 1);
  },
  async "fan-out"() {
    for (const index of numbers) await opened(`s${index}-${run}`, `bench/${run}`);
    return await flow([{ peer: await opened(`p-${run}`), topic: `bench/${run}` }], count);
  },
  async "fan-in"() {
    await opened(`s-${run}`, `bench/${run}/#`);
    const publishers = [];
    for (const index of numbers)
      publishers.push({ peer: await opened(`p${index}-${run}`), topic: `bench/${run}/${index}` });
    return await flow(publishers, 1);
  },
  /** Time in which a new subscriber receives all retained messages. */
  async retained() {
    const publisher = await opened(`p-${run}`);
    for (let index = 0; index < RETAINED_TOPICS; index++)
      await publisher.write(publishPacket(`retained/${index}`, true));
    const check = await opened(`c-${run}`, "last");
    await publisher.write(publishPacket("last"));
    await untilDelivered(1);
    delivered = 0;
    const startedAt = performance.now();
    await opened(`s-${run}`, "retained/#");
    await untilDelivered(RETAINED_TOPICS);
    const rate = (RETAINED_TOPICS / (performance.now() - startedAt)) * 1000;
    await check.end();
    return rate;
  },
  /** Time in which clients that were away receive what was kept for them. */
  async offline() {
    for (const index of numbers) {
      const peer = new Peer();
      await peer.open(`o${index}`, false);
      await peer.subscribe(`offline/${run}`);
      await peer.end();
    }
    await Bun.sleep(WARM_UP_MS);
    const publisher = await opened(`p-${run}`);
    const packet = publishPacket(`offline/${run}`);
    for (let sent = 0; sent < QUEUED_EACH; sent += IN_FLIGHT) {
      await publisher.publish(packet, IN_FLIGHT);
      while (publisher.inFlight > 0) await Bun.sleep(1);
    }
    const startedAt = performance.now();
    for (const index of numbers) await new Peer().open(`o${index}`, false);
    await untilDelivered(QUEUED_EACH * count);
    return ((QUEUED_EACH * count) / (performance.now() - startedAt)) * 1000;
  },
};

const load = patterns[pattern];
if (load === undefined) throw new Error(`there is no pattern ${pattern}`);
const result: TopicLoadResult = { deliveredPerSecond: await load() };
console.log(JSON.stringify(result));
process.exit(0);
