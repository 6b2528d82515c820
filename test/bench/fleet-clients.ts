/**
 * Many MQTT connections that do nothing but hold on and, where asked, take commands and answer them. A process of its own; prints
 * one JSON line when all are connected.
 *
 * Arguments: port, a file of user names separated by commas (`-` for none), how many, and `commands` to listen to them.
 */

import { mqttText as text } from "./load-packets.ts";

export interface FleetConnected {
  readonly connectedMs: number;
}

const [portText = "1883", usersFile = "-", countText = "1000", mode = ""] = process.argv.slice(2);
const count = Number(countText);
const users = usersFile === "-" ? [] : (await Bun.file(usersFile).text()).split(",");
/** Connections in progress at once: as many as a site that comes back after a power cut would try. */
const AT_ONCE = 256;
const CONNACK = 2;
const PUBLISH = 3;
const SUBACK = 9;

const packet = (header: number, body: readonly number[]): Uint8Array => {
  const lengthBytes = body.length < 128 ? [body.length] : [(body.length & 127) | 128, body.length >> 7];
  return new Uint8Array([header, ...lengthBytes, ...body]);
};

function connect(index: number): Uint8Array {
  const user = users[index];
  const flags = user === undefined ? 2 : 0x82;
  const keepAlive = [0, 0];
  return packet(0x10, [
    ...text("MQTT"),
    4,
    flags,
    ...keepAlive,
    ...text(`fleet-${index}`),
    ...(user === undefined ? [] : text(user)),
  ]);
}

const subscribe = packet(0x82, [0, 1, ...text("v1/devices/me/rpc/request/+"), 1]);

interface State {
  rest: Buffer;
  ready(): void;
  failed(error: Error): void;
}

function onPublish(socket: Bun.Socket<State>, body: Buffer): void {
  const topicBytes = body.readUInt16BE(0);
  const topic = body.subarray(2, 2 + topicBytes).toString();
  const packetId = body.subarray(2 + topicBytes, 4 + topicBytes);
  const id = topic.slice(topic.lastIndexOf("/") + 1);
  const response = [...text(`v1/devices/me/rpc/response/${id}`), ...Buffer.from('{"ok":true}')];
  socket.write(Buffer.concat([Buffer.from([0x40, 2]), packetId, packet(0x30, response)]));
}

/** The first packet of `bytes`; two bytes of length are enough for all that comes. Undefined while it is not all there. */
function packetIn(bytes: Buffer): { type: number; body: Buffer; end: number } | undefined {
  const [header = 0, low = 0, high = 0] = bytes;
  const isLong = low > 127;
  const start = isLong ? 3 : 2;
  if (bytes.length < start) return undefined;
  const end = start + (isLong ? (low & 127) | (high << 7) : low);
  return bytes.length < end ? undefined : { type: header >> 4, body: bytes.subarray(start, end), end };
}

function onPacket(socket: Bun.Socket<State>, type: number, body: Buffer): void {
  const { ready, failed } = socket.data;
  if (type === PUBLISH) onPublish(socket, body);
  else if (type === SUBACK) ready();
  else if (type !== CONNACK) return;
  else if (body[1] !== 0) failed(new Error(`refused: ${body[1]}`));
  else if (mode === "commands") socket.write(subscribe);
  else ready();
}

function onData(socket: Bun.Socket<State>, chunk: Uint8Array): void {
  let bytes = Buffer.concat([socket.data.rest, chunk]);
  for (let packet = packetIn(bytes); packet !== undefined; packet = packetIn(bytes)) {
    onPacket(socket, packet.type, packet.body);
    bytes = bytes.subarray(packet.end);
  }
  socket.data.rest = Buffer.from(bytes);
}

async function open(index: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = await Bun.connect<State>({
    hostname: "127.0.0.1",
    port: Number(portText),
    data: { rest: Buffer.alloc(0), ready: resolve, failed: reject },
    socket: { data: onData, close: () => reject(new Error("closed")) },
  });
  socket.write(connect(index));
  await promise;
}

const startedAt = performance.now();
let next = 0;
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    while (next < count) await open(next++);
  }),
);
console.log(JSON.stringify({ connectedMs: performance.now() - startedAt } satisfies FleetConnected));
// Held until the process is ended.
setInterval(() => undefined, 60_000);
