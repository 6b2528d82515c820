import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { until } from "../support/until.ts";
import { callGateway, type StalledGateway, stallsOf, startStalledGateway } from "./stall-fixture.ts";

/**
 * A connection may send half a megabyte of the shortest requests or frames in one piece: they do not hold the event loop for longer than 100 ms of
 * processor time, and the connection ends. See `stall.test.ts` for how that is measured.
 */

const FLOOD_BYTES = 4 * 1024 * 1024;
const [TEXT, BINARY, PING, PONG] = [1, 2, 9, 10];

let gateway: StalledGateway;

beforeAll(async () => {
  gateway = await startStalledGateway();
});
afterAll(() => gateway.stop());

/** A frame as clients send them, with a mask of zeros. */
const frame = (opcode: number, content: string): Buffer =>
  Buffer.concat([
    Buffer.from([0x80 | opcode, 0x80 | content.length, 0, 0, 0, 0]),
    Buffer.from(content, "latin1"),
  ]);

function open(): Promise<Socket> {
  const { promise, resolve } = Promise.withResolvers<Socket>();
  const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1", () => resolve(socket));
  socket.on("error", () => undefined);
  return promise;
}

/** Opens a WebSocket, and sends the first frame. Resolves with what the gateway has sent by then. */
async function upgrade(path: string, first = ""): Promise<Socket> {
  const socket = await open();
  const head = "Host: gateway\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n";
  socket.write(`GET ${path} HTTP/1.1\r\n${head}Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`);
  let received = "";
  socket.on("data", (bytes) => {
    received += bytes.toString("latin1");
  });
  await until(() => received.includes("\r\n\r\n"));
  if (first === "") return socket;
  socket.write(
    Buffer.concat([
      Buffer.from([0x81, 0x80 | 126, first.length >> 8, first.length & 0xff, 0, 0, 0, 0]),
      Buffer.from(first),
    ]),
  );
  await until(() => received.includes("ready"));
  return socket;
}

/** Sends the bytes again and again until the connection has ended. */
async function flood(socket: Socket, bytes: Buffer): Promise<void> {
  const all = Buffer.alloc(bytes.length * Math.ceil(FLOOD_BYTES / bytes.length), bytes);
  socket.resume();
  socket.write(all);
  await until(() => socket.destroyed);
}

const signedIn = () => upgrade("/api/ws", JSON.stringify({ type: "auth", token: gateway.token }));

async function newToken(): Promise<string> {
  const body = { name: `flooding ${crypto.randomUUID()}`, deviceType: "a" };
  return (await callGateway(gateway, "POST", "/api/devices", body)).body.credentials.token;
}

const asDevice = async () => upgrade(`/api/v1/${await newToken()}/ws`);

async function overMqtt(): Promise<Socket> {
  const token = await newToken();
  const socket = await upgrade("/mqtt");
  const connect = `\0\x04MQTT\x04\x82\0\x3c\0\0\0${String.fromCharCode(token.length)}${token}`;
  socket.write(frame(BINARY, `\x10${String.fromCharCode(connect.length)}${connect}`));
  return socket;
}

test.each<[string, () => Promise<Socket>, Buffer]>([
  ["requests of strangers for nothing", open, Buffer.from("GET /x HTTP/1.1\r\nHost: a\r\n\r\n")],
  ["frames of strangers", () => upgrade("/api/ws"), frame(TEXT, "x")],
  ["frames of a user that say nothing", signedIn, frame(TEXT, "{}")],
  ["frames of a user that are answered", signedIn, frame(TEXT, '{"type":"ping"}')],
  ["pings of a user", signedIn, frame(PING, "")],
  ["frames of a device that say nothing", asDevice, frame(TEXT, "{}")],
  ["pings in frames of an MQTT client", overMqtt, frame(BINARY, "\xc0\0")],
  ["empty frames of an MQTT client", overMqtt, frame(BINARY, "")],
  ["values of a device", asDevice, frame(TEXT, '{"topic":"v2/t","a":1}')],
])("%s", async (name, prepare, bytes) => {
  const stalls = await stallsOf(gateway, { name, counts: [1, 10] }, async (atOnce) => {
    const sockets = await Promise.all(Array.from({ length: atOnce }, prepare));
    return () => Promise.all(sockets.map((socket) => flood(socket, bytes)));
  });
  expect(stalls).toEqual([]);
});

test("pongs that nobody asked for, of hundreds of strangers", async () => {
  const stalls = await stallsOf(gateway, { name: "pongs", counts: [240] }, async (atOnce) => {
    const sockets: Socket[] = [];
    while (sockets.length < atOnce) sockets.push(await upgrade("/api/ws"));
    return () => Promise.all(sockets.map((socket) => flood(socket, frame(PONG, ""))));
  });
  expect(stalls).toEqual([]);
});
