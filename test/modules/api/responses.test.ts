import { afterEach, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import type { DomainError } from "../../../src/lib/core/domain-error.ts";
import {
  exportResponse,
  listResponse,
  readResponse,
  sharedResponse,
  textResponse,
} from "../../../src/modules/api/responses.ts";
import { EXPORTS_MAX, ResponseSpace } from "../../../src/platform/load/response-space.ts";
import { until } from "../../support/until.ts";

const MIB = 1024 * 1024;
/** More than the buffers of a connection take. */
const RESPONSE_MIB = 16;
const SPACE_MIB = 24;

const stops: Array<() => unknown> = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const spaceOf = (all: number, tenant = all, user = tenant) => new ResponseSpace({ all, tenant, user });

/** A server whose answers have the number of MiB in their path. */
function serve(space: ResponseSpace): number {
  const server = Bun.serve({
    port: 0,
    idleTimeout: 0, // readers stall on purpose
    fetch: async (request) => {
      const mebibytes = Number(new URL(request.url).pathname.slice(1));
      try {
        const [tenantId = "", userId = ""] = (request.headers.get("authorization") ?? "").split("/");
        space.note(request, { tenantId, userId });
        return await textResponse(space, request, async (onPiece) => {
          for (let index = 0; index < mebibytes; index++) onPiece(new Uint8Array(MIB).fill(32));
        });
      } catch (error) {
        return new Response(null, { status: (error as DomainError).kind === "too_large" ? 413 : 503 });
      }
    },
  });
  stops.push(() => server.stop(true));
  return server.port ?? 0;
}

/** Asks for an answer and reads nothing of it. */
async function stall(port: number, path: string, method = "GET", who = ""): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  stops.push(() => socket.destroy());
  socket.on("error", () => undefined);
  socket.pause();
  socket.write(`${method} ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${who}\r\n\r\n`);
  await new Promise((resolve) => socket.once("connect", resolve));
  return socket;
}

const ask = (port: number, mebibytes: number, who = "") =>
  fetch(`http://127.0.0.1:${port}/${mebibytes}`, { headers: { authorization: who } });

test("answers that nobody reads leave no room for others until their readers go", async () => {
  const space = spaceOf(SPACE_MIB);
  const port = serve(space);
  const reader = await stall(port, `/${RESPONSE_MIB}`);
  await until(() => space.used > 0);
  expect((await ask(port, SPACE_MIB)).status).toBe(503);
  reader.destroy();
  await until(() => space.used === 0);
  const response = await ask(port, SPACE_MIB);
  expect(response.status).toBe(200);
  expect((await response.arrayBuffer()).byteLength).toBe(SPACE_MIB * MIB);
  await until(() => space.used === 0);
});

test("an answer of one long piece counts until it is read, not until it is handed to the connection", async () => {
  const space = spaceOf(SPACE_MIB);
  const server = Bun.serve({
    port: 0,
    idleTimeout: 0,
    fetch: (request) =>
      textResponse(space, request, async (onPiece) => onPiece(new Uint8Array(RESPONSE_MIB * MIB).fill(32))),
  });
  stops.push(() => server.stop(true));
  const readers = [await stall(server.port ?? 0, "/")];
  await until(() => space.used > 0);
  // What is written to the connection meanwhile fills its buffers.
  let used = 0;
  await until(() => {
    const isSame = used === space.used;
    used = space.used;
    return isSame;
  });
  expect(used).toBeGreaterThan((RESPONSE_MIB / 2) * MIB);
  for (const reader of readers) reader.destroy();
  await until(() => space.used === 0);
});

test("tenants that read nothing always leave some space to one more", () => {
  const space = new ResponseSpace({ all: 64, tenant: 48, user: 48 });
  const request = (tenantId: string) => {
    const forTenant = new Request("http://x");
    space.note(forTenant, { tenantId, userId: tenantId });
    return forTenant;
  };
  const taken = ["a", "b", "c", "d"].map((tenantId) => {
    const held = space.open(request(tenantId));
    try {
      for (;;) held.hold(MIB / 4);
    } catch {
      return held.bytes / MIB;
    }
  });
  expect(taken[0]).toBe(48);
  for (const [index, mebibytes] of taken.entries())
    if (index > 0) expect(mebibytes).toBeGreaterThanOrEqual((64 / 4 ** index) * (3 / 4) - 0.5);
  expect(space.used).toBeLessThan(64 * MIB);
});

test("responses with the same bytes count for the piece in flight only, until their readers go", async () => {
  const space = spaceOf(SPACE_MIB);
  const pieces = Array.from({ length: SPACE_MIB }, () => new Uint8Array(MIB).fill(32));
  const server = Bun.serve({
    port: 0,
    idleTimeout: 0,
    fetch: (request) => sharedResponse(space, request, pieces),
  });
  stops.push(() => server.stop(true));
  const port = server.port ?? 0;
  const readers = [await stall(port, "/"), await stall(port, "/"), await stall(port, "/")];
  await until(() => space.used === readers.length * MIB);
  const response = await ask(port, 0);
  expect((await response.arrayBuffer()).byteLength).toBe(SPACE_MIB * MIB);
  await until(() => space.used === readers.length * MIB);
  for (const reader of readers) reader.destroy();
  await until(() => space.used === 0);
});

test("a list is built slice by slice, and only once there is space for all of it", async () => {
  const space = spaceOf(1);
  const built: string[] = [];
  const listOf = (name: string, slices: number[][], count = slices.flat().length) =>
    listResponse(space, new Request("http://x"), {
      count,
      headers: { "x-total-count": "7" },
      slices: (function* () {
        for (const slice of slices) {
          built.push(name);
          yield slice;
        }
      })(),
    });
  const first = listOf("first", [[1, 2], [], [3]], 2_000);
  expect(space.used).toBeGreaterThan(MIB / 2);
  await expect(listOf("second", [[1]], 2_000)).rejects.toMatchObject({ kind: "unavailable" });
  const response = await first;
  expect(await response.text()).toBe("[1,2,3]");
  expect(response.headers.get("x-total-count")).toBe("7");
  expect(built).toEqual(["first", "first", "first"]);
  expect(space.used).toBe(0);
  expect(await (await listOf("empty", [])).text()).toBe("[]");
  expect(await (await listOf("empty slice", [[]])).text()).toBe("[]");
  const failing = listResponse(space, new Request("http://x"), {
    count: 1,
    headers: {},
    slices: {
      [Symbol.iterator]: () => ({
        next: () => {
          throw new Error("lost");
        },
      }),
    },
  });
  await expect(failing).rejects.toThrow("lost");
  expect(space.used).toBe(0);
});

test("a response of some 100 kB counts until it is read, a small one does not", async () => {
  const space = spaceOf(1);
  const responseOf = (bytes: number) =>
    textResponse(space, new Request("http://x"), async (onPiece) => onPiece(new Uint8Array(bytes).fill(32)));
  const large = await responseOf(100 * 1024);
  expect(space.used).toBe(100 * 1024);
  expect((await large.arrayBuffer()).byteLength).toBe(100 * 1024);
  expect(space.used).toBe(0);
  await responseOf(10 * 1024);
  expect(space.used).toBe(0);
});

test("an answer that is too large by itself is refused, and gives back what it has taken", async () => {
  const space = spaceOf(SPACE_MIB);
  const port = serve(space);
  expect((await ask(port, SPACE_MIB + 1)).status).toBe(413);
  expect(space.used).toBe(0);
});

test("a request for the headers alone keeps nothing", async () => {
  const space = spaceOf(SPACE_MIB);
  const port = serve(space);
  const reader = await stall(port, `/${RESPONSE_MIB}`, "HEAD");
  const [head] = await new Promise<Buffer[]>((resolve) => {
    reader.once("data", (data) => resolve([data as Buffer]));
    reader.resume();
  });
  expect(head?.toString()).toStartWith("HTTP/1.1 200");
  await until(() => space.used === 0);
});

test("an answer to a request that has ended keeps nothing", async () => {
  const space = spaceOf(SPACE_MIB);
  const ended = new Request("http://x", { signal: AbortSignal.abort() });
  await textResponse(space, ended, async (onPiece) => onPiece(new Uint8Array(MIB)));
  expect(space.used).toBe(0);
});

test("a user and a tenant that do not read leave room to the others", async () => {
  const space = spaceOf(4 * RESPONSE_MIB, 3 * RESPONSE_MIB, RESPONSE_MIB);
  const port = serve(space);
  const statusFor = async (who: string, mebibytes = RESPONSE_MIB) => {
    const response = await ask(port, mebibytes, who);
    await response.arrayBuffer();
    return response.status;
  };
  const used = () => space.used;
  for (const user of ["anna", "ben", "cleo"]) {
    const before = used();
    await stall(port, `/${RESPONSE_MIB}`, "GET", `A/${user}`);
    await until(() => used() > before + 2 * MIB); // the system's buffers hold the rest
  }
  expect(await statusFor("A/anna")).toBe(503);
  // Of what the first tenant left, a second one leaves a part to a third.
  expect(await statusFor("B/zoe", RESPONSE_MIB / 2)).toBe(200);
  const [refused] = space.refusals.filter(({ limit }) => limit === "user");
  expect(refused?.count).toBe(1);
});

test("a large value is sent as the JSON that it is, and its task runs when it was read", async () => {
  const space = spaceOf(SPACE_MIB);
  const value = { list: Array.from({ length: 200_000 }, (_, index) => ({ index, name: `é${index}` })) };
  let ended = 0;
  const request = new Request("http://x");
  const held = space.open(request);
  held.atEnd(() => ended++);
  const response = await readResponse(held, request, async () => value);
  expect(space.used).toBeGreaterThan(MIB);
  expect(ended).toBe(0);
  expect(await response.json()).toEqual(value);
  expect([space.used, ended]).toEqual([0, 1]);
});

test("a value that cannot be sent ends its task, too", async () => {
  const space = spaceOf(1);
  const large = Array.from({ length: 50_000 }, () => "twenty characters and more");
  let ended = 0;
  const request = new Request("http://x");
  const held = space.open(request);
  held.atEnd(() => ended++);
  const sent = readResponse(held, request, async () => large);
  expect(sent).rejects.toMatchObject({ kind: "too_large", code: "response.too_large" });
  await sent.catch(() => undefined);
  expect([space.used, ended]).toEqual([0, 1]);
});

test("what is read counts until its pieces do, and what they do not need is given back", async () => {
  const space = spaceOf(SPACE_MIB);
  const value = Array.from({ length: 50_000 }, () => "twenty characters and more");
  const request = new Request("http://x");
  const held = space.open(request);
  let reserved = 0;
  const response = await readResponse(held, request, async () => {
    held.reserve(3 * MIB);
    reserved = space.used;
    return value;
  });
  expect(reserved).toBe(3 * MIB);
  const { length } = JSON.stringify(value);
  expect(space.used).toBe(length);
  await response.text();
  expect(space.used).toBe(0);
});

test("reading for a client that has left, or for a response that has failed, ends at the next reservation", async () => {
  const space = spaceOf(SPACE_MIB);
  const leaving = new AbortController();
  const request = new Request("http://x", { signal: leaving.signal });
  const held = space.open(request);
  const response = readResponse(held, request, async () => {
    held.reserve(MIB);
    leaving.abort();
    held.reserve(MIB);
  });
  await expect(response).rejects.toMatchObject({ code: "response.unread" });
  expect(space.used).toBe(0);
  expect(() => held.reserve(1)).toThrow();
});

const exportFor = (space: ResponseSpace, who: string, pieces: Iterator<string> = ["a", "b"].values()) => {
  const request = new Request("http://x");
  const [tenantId = "", userId = ""] = who.split("/");
  space.note(request, { tenantId, userId });
  return exportResponse(space, request, { create: () => pieces, headers: { "content-type": "text/csv" } });
};

test("a user and a tenant run only some exports at the same time", async () => {
  const space = spaceOf(1);
  const running: Response[] = [];
  for (let count = 0; count < EXPORTS_MAX.user; count++) running.push(await exportFor(space, "A/anna"));
  expect(exportFor(space, "A/anna")).rejects.toMatchObject({
    kind: "limited",
    code: "response.exports_running",
  });
  for (let count = EXPORTS_MAX.user; count < EXPORTS_MAX.tenant; count++)
    running.push(await exportFor(space, "A/ben"));
  expect(exportFor(space, "A/cleo")).rejects.toMatchObject({ kind: "limited" });
  expect(await (await exportFor(space, "B/zoe")).text()).toBe("ab");
  expect(await running[0]?.text()).toBe("ab");
  await running[1]?.body?.cancel();
  await exportFor(space, "A/cleo");
});

test("an export gives others their turn before each piece, and stops when its reader leaves", async () => {
  let [rounds, yielded, isCounting] = [0, 0, true];
  const count = () => {
    rounds++;
    if (isCounting) setImmediate(count);
  };
  setImmediate(count);
  let hasEnded = false;
  function* endless(): Generator<string> {
    try {
      for (;;) {
        yielded++;
        yield "x";
      }
    } finally {
      hasEnded = true;
    }
  }
  const response = await exportFor(spaceOf(1), "A/anna", endless());
  const reader = response.body?.getReader();
  for (let piece = 0; piece < 50; piece++) await reader?.read();
  expect(rounds).toBeGreaterThanOrEqual(50);
  await reader?.cancel();
  isCounting = false;
  expect(hasEnded).toBe(true);
  expect(yielded).toBeLessThanOrEqual(52);
});

test("an export hands over a long piece in parts, so that it does not end before its reader has most of it", async () => {
  const space = spaceOf(64);
  const request = new Request("http://x");
  space.note(request, { tenantId: "A", userId: "anna" });
  let isEnded = false;
  function* pieces() {
    yield new Uint8Array(4 * MIB);
    isEnded = true;
  }
  const response = await exportResponse(space, request, { create: () => pieces(), headers: {} });
  const reader = response.body?.getReader();
  const sizes: number[] = [];
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    sizes.push(part.value.length);
    if (sizes.length < 20) expect(isEnded).toBe(false);
  }
  expect(Math.max(...sizes)).toBeLessThanOrEqual(256 * 1024);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(4 * MIB);
});

test("short and long answers arrive whole, in one piece or many", async () => {
  const content = (bytes: number) => new Uint8Array(bytes).map((_, index) => index % 251);
  const server = Bun.serve({
    port: 0,
    fetch: async (request) => {
      const [bytes = 0, pieces = 1] = new URL(request.url).pathname.slice(1).split("/").map(Number);
      // As after the response of a thread: Bun writes it outside of the request's turn.
      await Bun.sleep(1);
      return textResponse(spaceOf(MIB), request, async (onPiece) => {
        for (let index = 0; index < pieces; index++) onPiece(content(bytes));
      });
    },
  });
  stops.push(() => server.stop(true));
  for (const kib of [0, 1, 14, 15, 16, 63, 64, 65])
    for (const more of [0, 1])
      for (const pieces of [1, 3]) {
        const bytes = kib * 1024 + more;
        const response = await fetch(`http://127.0.0.1:${server.port}/${bytes}/${pieces}`);
        const received = new Uint8Array(await response.arrayBuffer());
        const expected = Buffer.concat(Array.from({ length: pieces }, () => content(bytes)));
        expect([bytes, pieces, Buffer.compare(expected, received)]).toEqual([bytes, pieces, 0]);
        expect(response.headers.get("content-type")).toBe("application/json");
      }
});
