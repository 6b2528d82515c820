import { FIRST_TS, publishPacket, mqttText as text } from "./load-packets.ts";

/**
 * A load of MQTT publishes that is cheaper to make than to take: packets are encoded once and only their timestamp and packet id
 * are patched; acknowledgements are counted by their bytes. Runs as a process of its own; prints one JSON line.
 *
 * Arguments: host port seconds connections window qos topic, then user names separated by commas
 * (or `-`), or `@` and a file that holds them, and a rate.
 */

export interface LoadResult {
  readonly messagesPerSecond: number;
  readonly messages: number;
  /** Messages acknowledged since the start, warm-up included. */
  readonly acknowledged: number;
  readonly seconds: number;
  /** Time from write to acknowledgement in ms (window 1 only). */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const [
  host = "127.0.0.1",
  port = "1883",
  secondsText = "5",
  connectionsText = "100",
  windowText = "20",
  qosText = "1",
  topic = "",
  users = "-",
  rateText = "0",
] = process.argv.slice(2);
const seconds = Number(secondsText);
const connections = Number(connectionsText);
const window = Number(windowText);
const qos = Number(qosText);
const names = (users.startsWith("@") ? await Bun.file(users.slice(1)).text() : users).split(",");
/** Messages a second of all connections together; 0 sends as fast as they are acknowledged. */
const rate = Number(rateText);
const PUBACK_BYTES = 4;
const WARM_UP_MS = 1_000;
const TS_DIGITS = 13;
/** Devices send at times of their own: a load at a fixed rate comes evenly, connection after connection, not all at once. */
const TICK_MS = 1;
const WRITES_PER_TICK = 16;

const connectPacket = (clientId: string, user: string): Uint8Array => {
  const body = [
    ...text("MQTT"),
    4,
    user === "-" ? 2 : 0x82,
    0,
    0,
    ...text(clientId),
    ...(user === "-" ? [] : text(user)),
  ];
  return new Uint8Array([0x10, body.length, ...body]);
};

const tsOffset = (packet: Buffer) => packet.indexOf('"ts":') + 5;
const idOffset = (packet: Buffer) => tsOffset(packet) - 6 - 2;

interface Connection {
  /** `window` packets in a row, patched before each use. */
  readonly buffer: Buffer;
  readonly packets: ReadonlyArray<{ at: number; ts: number; id: number; bytes: number }>;
  next: number;
  sequence: number;
  ackBytes: number;
  connected: boolean;
  sentAt: number;
}

let acknowledged = 0;
let acknowledgedBefore = 0;
let sent = 0;
let measuring = false;
let stopped = false;
const latencies: number[] = [];

function createConnection(): Connection {
  const single = Array.from({ length: window }, (_, index) => publishPacket(topic, qos, index));
  let position = 0;
  const packets = single.map((packet) => {
    const entry = {
      at: position,
      ts: position + tsOffset(packet),
      id: position + idOffset(packet),
      bytes: packet.length,
    };
    position += packet.length;
    return entry;
  });
  return {
    buffer: Buffer.concat(single),
    packets,
    next: 0,
    sequence: 0,
    ackBytes: 0,
    connected: false,
    sentAt: 0,
  };
}

/** Patches the next packet of the ring: a timestamp of its own and its packet id. */
function patch(connection: Connection, index: number): void {
  const packet = connection.packets[index];
  if (packet === undefined) return;
  let ts = FIRST_TS + connection.sequence++;
  for (let digit = TS_DIGITS - 1; digit >= TS_DIGITS - 9; digit--) {
    connection.buffer[packet.ts + digit] = 48 + (ts % 10);
    ts = Math.floor(ts / 10);
  }
  if (qos > 0) {
    connection.buffer[packet.id] = (index + 1) >> 8;
    connection.buffer[packet.id + 1] = (index + 1) & 255;
  }
}

type LoadSocket = Bun.Socket<Connection>;

/** Sends `count` packets of the ring in at most two writes. */
function send(socket: LoadSocket, count: number): void {
  const connection = socket.data;
  let left = count;
  while (left > 0) {
    const first = connection.next;
    const run = Math.min(left, window - first);
    for (let index = first; index < first + run; index++) patch(connection, index);
    const start = connection.packets[first]?.at ?? 0;
    const last = connection.packets[first + run - 1];
    const bytes = connection.buffer.subarray(start, (last?.at ?? 0) + (last?.bytes ?? 0));
    if (window === 1) connection.sentAt = performance.now();
    const written = socket.write(bytes);
    if (written < bytes.length)
      pending.set(
        socket,
        Buffer.concat([pending.get(socket) ?? Buffer.alloc(0), bytes.subarray(Math.max(written, 0))]),
      );
    connection.next = (first + run) % window;
    left -= run;
    sent += run;
  }
}

/** Bytes that a socket has not accepted yet. */
const pending = new Map<LoadSocket, Buffer>();

function onData(socket: LoadSocket, data: Uint8Array): void {
  const connection = socket.data;
  if (!connection.connected) {
    if (data[3] !== 0) {
      console.error(`connection refused: ${data[3]}`);
      process.exit(1);
    }
    connection.connected = true;
    return;
  }
  const bytes = connection.ackBytes + data.length;
  const acks = Math.floor(bytes / PUBACK_BYTES);
  connection.ackBytes = bytes % PUBACK_BYTES;
  if (measuring) acknowledged += acks;
  else acknowledgedBefore += acks;
  if (measuring && window === 1) latencies.push(performance.now() - connection.sentAt);
  if (!stopped && rate === 0) send(socket, acks);
}

function onDrain(socket: LoadSocket): void {
  const bytes = pending.get(socket);
  if (bytes === undefined) return;
  const written = Math.max(socket.write(bytes), 0);
  if (written < bytes.length) pending.set(socket, bytes.subarray(written));
  else pending.delete(socket);
}

const sockets: LoadSocket[] = [];
for (let index = 0; index < connections; index++) {
  const socket = await Bun.connect<Connection>({
    hostname: host,
    port: Number(port),
    data: createConnection(),
    socket: { data: onData, drain: onDrain },
  });
  socket.write(connectPacket(`load-${index}`, names[index % names.length] ?? "-"));
  sockets.push(socket);
}
while (sockets.some((socket) => !socket.data.connected)) await Bun.sleep(5);

if (rate > 0) {
  const startedAt = performance.now();
  let done = 0;
  let turn = 0;
  setInterval(() => {
    const due = Math.ceil(((performance.now() - startedAt) / 1000) * rate) - done;
    // One by one where there are few; many in one write, or the writes would be the limit.
    const each = Math.max(1, Math.ceil(due / WRITES_PER_TICK));
    for (let left = due; left > 0 && !stopped; left -= each) {
      const socket = sockets[turn++ % sockets.length];
      const count = Math.min(each, left);
      if (socket !== undefined) send(socket, count);
      done += count;
    }
  }, TICK_MS);
} else if (qos > 0) for (const socket of sockets) send(socket, window);
else {
  // QoS 0 has no acknowledgements: keep every socket's buffer full instead.
  const pump = () => {
    for (const socket of sockets)
      for (let round = 0; round < 8 && !pending.has(socket); round++) send(socket, window);
    if (!stopped) setImmediate(pump);
  };
  pump();
}
await Bun.sleep(WARM_UP_MS);
measuring = true;
const startedAt = performance.now();
const sentBefore = sent;
await Bun.sleep(seconds * 1000);
const elapsed = (performance.now() - startedAt) / 1000;
stopped = true;
const messages = qos > 0 ? acknowledged : sent - sentBefore;
latencies.sort((a, b) => a - b);
const quantile = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0;
const result: LoadResult = {
  messagesPerSecond: messages / elapsed,
  messages,
  acknowledged: acknowledgedBefore + acknowledged,
  seconds: elapsed,
  p50Ms: quantile(0.5),
  p99Ms: quantile(0.99),
};
console.log(JSON.stringify(result));
process.exit(0);
