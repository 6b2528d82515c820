import { expect, test } from "bun:test";
import { setImmediate as nextRound } from "node:timers/promises";
import type { AnyElysia } from "elysia";
import { RequestTurns } from "../../src/http/request-turns.ts";

type Handle = (request: Request) => Response | Promise<Response>;

/** A guarded app that answers with the path. Its requests say from which port they come. */
function guarded(now: () => number) {
  let handle: Handle = (request) => new Response(new URL(request.url).pathname);
  const app = {
    server: {
      requestIP: ({ headers }: Request) => ({ address: "10.0.0.1", port: Number(headers.get("port")) }),
    },
    wrap(wrapped: (handle: Handle) => Handle) {
      handle = wrapped(handle);
    },
  };
  new RequestTurns(now).guard(app as unknown as AnyElysia);
  const send = (port: number) => handle(new Request("http://gateway/x", { headers: { port: String(port) } }));
  return { isAnswered: (port: number) => send(port) instanceof Response, send };
}

test("a connection has one request in the rest of a round that is long already, and others have theirs", async () => {
  let ms = 0;
  const { isAnswered, send } = guarded(() => ms);
  expect([isAnswered(1), isAnswered(1)]).toEqual([true, true]);
  ms = 9;
  expect([isAnswered(1), isAnswered(2)]).toEqual([true, true]);
  const late = send(1);
  expect(late).toBeInstanceOf(Promise);
  expect((await late).status).toBe(200);
  await nextRound();
  expect([isAnswered(1), isAnswered(1)]).toEqual([true, true]);
});
