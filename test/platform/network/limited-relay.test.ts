import { afterEach, expect, test } from "bun:test";
import { connect, createServer, type Server, type Socket } from "node:net";
import { LimitedRelay, RESPONSE_BYTES_MAX } from "../../../src/platform/network/limited-relay.ts";
import { until } from "../../support/until.ts";

const closing: Array<() => void> = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Server whose side of each connection the test holds. */
async function listen(): Promise<{ port: number; peers: Socket[]; server: Server }> {
  const peers: Socket[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    peers.push(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    for (const peer of peers) peer.destroy();
    server.close();
  });
  return { port: (server.address() as { port: number }).port, peers, server };
}

async function open(
  port: number,
  options: Partial<Parameters<typeof LimitedRelay.open>[0]> = {},
): Promise<LimitedRelay> {
  const { signal } = new AbortController();
  const place = { host: "127.0.0.1", port, timeoutMs: 5_000, signal };
  const relay = await LimitedRelay.open({ ...place, bytesPerSent: 16, ...options });
  closing.push(() => relay.close());
  return relay;
}

/** Client of a relay, with the bytes that it has received. */
async function join({ host, port }: LimitedRelay) {
  const socket = connect({ host, port });
  const client = { socket, bytes: 0, text: "", isClosed: false };
  socket.on("data", (chunk) => {
    client.bytes += chunk.length;
    if (client.text.length < 1_000) client.text += chunk.toString("latin1");
  });
  socket.on("error", () => undefined);
  socket.on("close", () => {
    client.isClosed = true;
  });
  await new Promise<void>((resolve) => socket.once("connect", resolve));
  closing.push(() => socket.destroy());
  return client;
}

/** Returns why nobody can connect there; an empty text if somebody can. */
async function refusalOf(host: string, port: number): Promise<string> {
  const socket = connect({ host, port });
  const error = await new Promise<unknown>((resolve) => {
    socket.once("error", resolve);
    socket.once("connect", () => resolve(""));
  });
  socket.destroy();
  return String(error);
}

test("bytes go both ways, also those that the server sent before the client came", async () => {
  const { port, peers } = await listen();
  const relay = await open(port);
  await until(() => peers.length === 1);
  const [peer] = peers as [Socket];
  let received = "";
  peer.on("data", (chunk) => {
    received += chunk.toString();
  });
  peer.write("INFO first\n");
  const client = await join(relay);
  client.socket.write("hello");
  await until(() => client.text === "INFO first\n" && received === "hello");
  expect(relay.failure).toBeUndefined();
  peer.end("bye");
  await until(() => client.isClosed);
  expect(client.text).toBe("INFO first\nbye");
  expect(relay.failure?.message).toContain("was closed");
});

test("a server may send the limit at once, and not a byte more", async () => {
  const { port, peers } = await listen();
  const relay = await open(port);
  const client = await join(relay);
  await until(() => peers.length === 1);
  const [peer] = peers as [Socket];
  peer.write(Buffer.alloc(RESPONSE_BYTES_MAX));
  await until(() => client.bytes === RESPONSE_BYTES_MAX);
  expect(relay.failure).toBeUndefined();
  peer.write("x");
  await until(() => client.isClosed);
  expect(relay.failure?.message).toContain("too long");
  expect(client.bytes).toBe(RESPONSE_BYTES_MAX);
});

test("what the client sends makes room for more, up to the limit", async () => {
  const { port, peers } = await listen();
  const relay = await open(port);
  const client = await join(relay);
  await until(() => peers.length === 1);
  const [peer] = peers as [Socket];
  let received = 0;
  peer.on("data", (chunk) => {
    received += chunk.length;
  });
  // Before anything was sent, there is no room beyond the limit to earn.
  client.socket.write(Buffer.alloc(1_000));
  await until(() => received === 1_000);
  peer.write(Buffer.alloc(RESPONSE_BYTES_MAX));
  await until(() => client.bytes === RESPONSE_BYTES_MAX);
  client.socket.write(Buffer.alloc(100));
  await until(() => received === 1_100);
  peer.write(Buffer.alloc(1_600));
  await until(() => client.bytes === RESPONSE_BYTES_MAX + 1_600);
  expect(relay.failure).toBeUndefined();
  peer.write("x");
  await until(() => client.isClosed);
  expect(relay.failure?.message).toContain("too long");
});

test("after the end of a response, the next bytes of the client make room for a whole one", async () => {
  const { port, peers } = await listen();
  const limits = { bytesPerSent: 0, responseBytesMax: 10 };
  const relay = await open(port, { ...limits, endsResponse: (bytes) => bytes.at(-1) === 0x2e });
  const client = await join(relay);
  await until(() => peers.length === 1);
  const [peer] = peers as [Socket];
  peer.resume();
  for (const [index, response] of ["123456789.", "abcdefghi."].entries()) {
    peer.write(response);
    await until(() => client.text.endsWith(response));
    client.socket.write("next");
    await until(() => peer.bytesRead === 4 * (index + 1));
  }
  peer.write("unfinished");
  await until(() => client.text.endsWith("unfinished"));
  client.socket.write("more");
  await until(() => peer.bytesRead === 12);
  expect(relay.failure).toBeUndefined();
  peer.write("x");
  await until(() => client.isClosed);
  expect(relay.failure?.message).toContain("too long");
});

test("a slow client holds the server back instead of filling memory", async () => {
  const { port, peers } = await listen();
  const relay = await open(port);
  const client = await join(relay);
  await until(() => peers.length === 1);
  const [peer] = peers as [Socket];
  client.socket.pause();
  const content = Buffer.alloc(RESPONSE_BYTES_MAX, 7);
  let isTaken = false;
  peer.write(content, () => {
    isTaken = true;
  });
  await Bun.sleep(0);
  client.socket.resume();
  await until(() => client.bytes === content.length && isTaken);
});

test("a client that goes ends the connection to the server, and the relay takes no second one", async () => {
  const { port, peers } = await listen();
  const relay = await open(port);
  const { host, port: own } = relay;
  const client = await join(relay);
  await until(() => peers.length === 1);
  expect(await refusalOf(host, own)).toContain("ECONNREFUSED");
  const gone = new Promise<void>((resolve) => peers[0]?.once("close", () => resolve()));
  peers[0]?.resume();
  client.socket.end();
  await gone;
  expect(relay.failure).toBeUndefined();
});

test("a relay without a client is closed, by itself when the server goes", async () => {
  const { port, peers } = await listen();
  const closed = await open(port);
  const { host, port: own } = closed;
  closed.close();
  expect(await refusalOf(host, own)).toContain("ECONNREFUSED");
  expect(closed.failure).toBeUndefined();
  const left = await open(port);
  const { port: other } = left;
  await until(() => peers.length === 2);
  peers[1]?.destroy();
  await until(() => left.failure !== undefined);
  expect(await refusalOf(host, other)).toContain("ECONNREFUSED");
});

test("a server that refuses or does not answer is an error of opening", async () => {
  const { port, server } = await listen();
  server.close();
  await expect(open(port)).rejects.toThrow(/ECONNREFUSED|connect/);
  const controller = new AbortController();
  controller.abort();
  const { port: other } = await listen();
  await expect(open(other, { signal: controller.signal })).rejects.toThrow("aborted");
});
