import { afterEach, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { DomainError } from "../../../src/lib/domain-error.ts";
import { AnswerSpace } from "../../../src/modules/telemetry/answer-space.ts";
import { latestResponse, seriesResponse } from "../../../src/modules/telemetry/answer-stream.ts";
import { until } from "../../support/until.ts";

const MIB = 1024 * 1024;
/** More than the buffers of a connection take. */
const ANSWER_MIB = 16;
const SPACE_MIB = 24;

const stops: Array<() => unknown> = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A server whose answers have the number of MiB in their path. */
function serve(space: AnswerSpace): number {
  const server = Bun.serve({
    port: 0,
    fetch: async (request) => {
      const mebibytes = Number(new URL(request.url).pathname.slice(1));
      try {
        const answer = await seriesResponse(space, request.signal, async (onPiece) => {
          for (let index = 0; index < mebibytes; index++) onPiece(new Uint8Array(MIB).fill(32));
        });
        return answer as unknown as Response;
      } catch (error) {
        return new Response(null, { status: (error as DomainError).kind === "too_large" ? 413 : 503 });
      }
    },
  });
  stops.push(() => server.stop(true));
  return server.port ?? 0;
}

/** Asks for an answer and reads nothing of it. */
async function stall(port: number, path: string, method = "GET"): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  stops.push(() => socket.destroy());
  socket.on("error", () => undefined);
  socket.pause();
  socket.write(`${method} ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
  await new Promise((resolve) => socket.once("connect", resolve));
  return socket;
}

const ask = (port: number, mebibytes: number) => fetch(`http://127.0.0.1:${port}/${mebibytes}`);

test("answers that nobody reads leave no room for others until their readers go", async () => {
  const space = new AnswerSpace(SPACE_MIB * MIB);
  const port = serve(space);
  const reader = await stall(port, `/${ANSWER_MIB}`);
  await until(() => space.used > 0);
  expect((await ask(port, SPACE_MIB)).status).toBe(503);
  reader.destroy();
  await until(() => space.used === 0);
  const answer = await ask(port, SPACE_MIB);
  expect(answer.status).toBe(200);
  expect((await answer.arrayBuffer()).byteLength).toBe(SPACE_MIB * MIB);
  await until(() => space.used === 0);
});

test("an answer that is too large by itself is refused, and gives back what it has taken", async () => {
  const space = new AnswerSpace(SPACE_MIB * MIB);
  const port = serve(space);
  expect((await ask(port, SPACE_MIB + 1)).status).toBe(413);
  expect(space.used).toBe(0);
});

test("a request for the headers alone keeps nothing", async () => {
  const space = new AnswerSpace(SPACE_MIB * MIB);
  const port = serve(space);
  const reader = await stall(port, `/${ANSWER_MIB}`, "HEAD");
  const [head] = await new Promise<Buffer[]>((resolve) => {
    reader.once("data", (data) => resolve([data as Buffer]));
    reader.resume();
  });
  expect(head?.toString()).toStartWith("HTTP/1.1 200");
  await until(() => space.used === 0);
});

test("an answer to a request that has ended keeps nothing", async () => {
  const space = new AnswerSpace(SPACE_MIB * MIB);
  await seriesResponse(space, AbortSignal.abort(), async (onPiece) => onPiece(new Uint8Array(MIB)));
  expect(space.used).toBe(0);
});

test("newest values of many devices count as well, and are given back at the end of the request", () => {
  const space = new AnswerSpace(MIB);
  const snapshot = { deviceId: "d", values: { level: 1 }, timestamps: { level: 1 }, ts: 1 };
  const request = new AbortController();
  latestResponse(space, request.signal, Array(12_000).fill(snapshot));
  expect(space.used).toBeGreaterThan(0);
  expect(() => latestResponse(space, request.signal, Array(12_000).fill(snapshot))).toThrow(DomainError);
  request.abort();
  expect(space.used).toBe(0);
});
