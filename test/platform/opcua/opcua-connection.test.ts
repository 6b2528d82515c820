// What servers send that no true server sends, or never send: the connection ends, and no other one suffers.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import {
  errorOf,
  listServerEndpoints,
  type OpcUaConnection,
  type OpcUaFailure,
  OpcUaRefusal,
  OpcUaTypeMismatch,
} from "../../../src/platform/opcua/opcua-connection.ts";
import { opcuaLines } from "../../support/opcua-line.ts";
import {
  browsed,
  doubleValue,
  type Exchange,
  endpoint,
  type Misconduct,
  reads,
  request,
  u32,
} from "../../support/opcua-server.ts";
import { until } from "../../support/until.ts";

const lines = opcuaLines();
const { folder, thread, serve, open } = lines;
const node = "ns=1;i=1";
/** Bits and numbers of types in the encoding of a value (OPC 10000-6, 5.2.2.16). */
const [ARRAY, INT16, DATA_VALUE, VARIANT] = [0x80, 4, 23, 24];

const errorIn = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error) => error,
  );
const read = (line: OpcUaConnection) => line.request("read", { nodes: [node] });
const never = () => undefined;

beforeAll(lines.start);
afterEach(lines.clear);
afterAll(lines.end);

test("a session stays open for longer than an answer may take", async () => {
  const line = await open((await serve()).port, { timeoutMs: 500 });
  const silent = await serve({ onHello: never });
  await errorIn(open(silent.port, { timeoutMs: 600 }));
  expect(await read(line)).toEqual([{ status: 0, value: 5 }]);
});

test.each<[string, Misconduct]>([
  ["accepts and says nothing", { onHello: never }],
  ["opens no channel", { on: { [request.openChannel]: never } }],
  ["makes no session", { on: { [request.createSession]: never } }],
  ["activates no session", { on: { [request.activateSession]: never } }],
  ["closes", { onConnect: (socket) => socket.destroy() }],
  ["is another program", { onHello: (socket) => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n") }],
  ["sends a frame without end", { onHello: (socket) => socket.write("ACKF\xff\xff\xff\xff", "latin1") }],
  [
    "answers with nothing",
    { on: { [request.createSession]: ({ answer: response }) => response(Buffer.alloc(0)) } },
  ],
])("a server that %s is given up, and others are read", async (_, misconduct) => {
  const good = await open((await serve()).port);
  const server = await serve(misconduct);
  expect(await errorIn(open(server.port, { timeoutMs: 100 }))).toBeInstanceOf(Error);
  await until(() => server.open === 0);
  expect(await read(good)).toEqual([{ status: 0, value: 5 }]);
});

test("bytes at which the library throws end their own connection only", async () => {
  const child = Bun.spawn(
    [process.execPath, join(import.meta.dir, "../../support/opcua-throw-child.ts"), folder],
    {
      stdout: "pipe",
      stderr: "pipe",
    },
  );
  expect(await new Response(child.stdout).text()).toBe("unexpected response\n5\n");
});

test.each<[string, (exchange: Exchange) => void]>([
  ["nothing", never],
  ["no values", ({ answer: response }) => response(reads())],
  [
    "more values than were asked for",
    ({ answer: response }) => response(reads(doubleValue(1), doubleValue(2))),
  ],
  ["a list without end", ({ answer: response }) => response(u32(0x7fff_ffff))],
  [
    "a part of an answer",
    ({ socket, framed }) => socket.write(framed(reads(doubleValue(1))).subarray(0, 20)),
  ],
  ["the end of the connection", ({ socket }) => socket.destroy()],
])("%s instead of values ends the connection: nothing is taken for a refusal", async (_, response) => {
  const line = await open((await serve({ on: { [request.read]: response } })).port, { timeoutMs: 300 });
  expect(await errorIn(read(line))).not.toBeInstanceOf(OpcUaRefusal);
  expect(line.isOpen).toBe(false);
});

test("what the gateway has given up while the server was asked for its certificate is not opened later", async () => {
  const { certificate } = await thread.call("certificate", {});
  const asked = Promise.withResolvers<Exchange>();
  const release = Promise.withResolvers<void>();
  const server = await serve({
    on: {
      [request.endpoints]: async (exchange) => {
        asked.resolve(exchange);
        await release.promise;
        exchange.answer(Buffer.concat([u32(1), endpoint("opc.tcp://127.0.0.1", certificate)]));
      },
    },
  });
  const stop = new AbortController();
  const fingerprint = new Bun.CryptoHasher("sha256").update(certificate).digest("hex");
  const session = { mode: "SIGN", policy: "BASIC256SHA256", fingerprint } as const;
  const opening = errorIn(open(server.port, { signal: stop.signal, session }));
  const { socket } = await asked.promise;
  const ended = new Promise((resolve) => socket.once("close", resolve));
  stop.abort();
  release.resolve();
  expect(await opening).toBeInstanceOf(Error);
  await ended;
  // Time for the gateway to connect again.
  await open((await serve()).port);
  expect(server.connections).toBe(1);
});

const addresses = { resolve: async () => ["127.0.0.1"] };

test("the address in a server's own answer is not followed", async () => {
  const elsewhere = await serve();
  const url = `opc.tcp://127.0.0.1:${elsewhere.port}`;
  const server = await serve({
    on: { [request.endpoints]: ({ answer: response }) => response(Buffer.concat([u32(1), endpoint(url)])) },
  });
  const target = { host: "127.0.0.1", port: server.port, path: "", addresses };
  expect(await listServerEndpoints(thread, target)).toHaveLength(1);
  expect(await read(await open(server.port))).toHaveLength(1);
  expect(elsewhere.connections).toBe(0);
});

test.each([
  ["values without content in one array", 1, 21_000],
  ["values without content in many arrays", 21, 1_000],
])("an answer of %s ends the connection, and says why", async (_, arrays, count) => {
  const array = Buffer.concat([Buffer.from([ARRAY | DATA_VALUE]), u32(count), Buffer.alloc(count)]);
  const variants = Buffer.concat(Array.from({ length: arrays }, () => array));
  const value = Buffer.concat([Buffer.from([1, ARRAY | VARIANT]), u32(arrays), variants]);
  const server = await serve({
    on: { [request.read]: ({ answerInChunks }) => answerInChunks(reads(value)) },
  });
  const failure = await errorIn(read(await open(server.port)));
  expect((failure as OpcUaFailure).reason.params).toEqual({ reason: "the response has too many parts" });
});

test("a long array of numbers is an answer like any other", async () => {
  const count = 100_001;
  const value = Buffer.concat([Buffer.from([1, ARRAY | INT16]), u32(count), Buffer.alloc(2 * count)]);
  const server = await serve({
    on: { [request.read]: ({ answerInChunks }) => answerInChunks(reads(value)) },
  });
  expect(await read(await open(server.port))).toEqual([{ status: 0 }]);
});

test("a server with thousands of endpoints is refused", async () => {
  const each = endpoint("opc.tcp://127.0.0.1");
  const response = Buffer.concat([u32(1_001), ...Array.from({ length: 1_001 }, () => each)]);
  const server = await serve({
    on: { [request.endpoints]: ({ answerInChunks }) => answerInChunks(response) },
  });
  const failure = await errorIn(
    listServerEndpoints(thread, { host: "127.0.0.1", port: server.port, path: "", addresses }),
  );
  expect((failure as OpcUaFailure).reason.params).toEqual({ reason: "the response has too many parts" });
});

describe("names that a server gives", () => {
  test("are cut, and nodes that nobody could select are left out", async () => {
    const long = "n".repeat(5_000);
    const server = await serve({
      on: {
        [request.browse]: ({ answer: response }) =>
          response(browsed(["a", long], [long, "too long"], ["b", "B"])),
      },
    });
    const { nodes, isCut } = await (await open(server.port)).request("browse", { node });
    expect(nodes.map(({ nodeId, name }) => [nodeId, name.length])).toEqual([
      ["ns=2;s=a", 200],
      ["ns=2;s=b", 1],
    ]);
    expect(isCut).toBe(true);
  });
});

test("what the thread says becomes the error with its meaning", () => {
  expect(errorOf("status:2150891520")).toEqual(new OpcUaRefusal(2_150_891_520));
  expect(errorOf("BadTooManyOperations (0x80100000)")).toEqual(new OpcUaRefusal(0x8010_0000, true));
  expect(errorOf("type:Int16")).toEqual(new OpcUaTypeMismatch("Int16"));
  expect(errorOf("silence:4000")).toMatchObject({ code: "opcua.no_response", params: { ms: 4_000 } });
  const reasonOf = (message: string) => (errorOf(message) as OpcUaFailure).reason;
  expect(reasonOf("certificate").code).toBe("opcua.certificate_unknown");
  expect(reasonOf("… Err = (connect ECONNREFUSED 127.0.0.1:4840)").code).toBe("network_error.refused");
  expect(reasonOf("endpoint").code).toBe("opcua.endpoint_missing");
  expect(reasonOf("ended (ECONNRESET)").code).toBe("network_error.reset");
  const closed = "… Err = (ERROR in waiting for data on socket(timeout was = 60000 ms) hadErrortrue )";
  expect(reasonOf(closed).code).toBe("network_error.reset");
  expect(reasonOf("x".repeat(100_000))).toEqual({
    code: "opcua.failed",
    params: { reason: "x".repeat(300) },
  });
});
