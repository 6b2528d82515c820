import { expect, test } from "bun:test";
import { setImmediate } from "node:timers/promises";
import type { ServerWebSocket } from "bun";
import { type SocketHandlers, takeFloodedCount, websocketHandler } from "../../src/http/sockets.ts";

function fakeSocket(isStranger = true) {
  const socket = {
    data: { isStranger, message: () => undefined },
    readyState: WebSocket.OPEN as number,
    terminate: () => {
      socket.readyState = WebSocket.CLOSED;
    },
  };
  return socket as unknown as ServerWebSocket<SocketHandlers>;
}

test("a connection that is closed for too many pings is counted once", () => {
  takeFloodedCount();
  const [flooding, other] = [fakeSocket(), fakeSocket()];
  for (let index = 0; index < 100; index++) websocketHandler.ping?.(flooding, Buffer.alloc(0));
  websocketHandler.ping?.(other, Buffer.alloc(0));
  expect([flooding.readyState, takeFloodedCount()]).toEqual([WebSocket.OPEN, 0]);
  for (let index = 0; index < 50; index++) websocketHandler.ping?.(flooding, Buffer.alloc(0));
  expect([flooding.readyState, other.readyState]).toEqual([WebSocket.CLOSED, WebSocket.OPEN]);
  expect([takeFloodedCount(), takeFloodedCount()]).toEqual([1, 0]);
});

test("messages of many strangers in one round do not count against those of signed-in users", async () => {
  await setImmediate(); // a round of its own
  takeFloodedCount();
  const strangers = Array.from({ length: 250 }, () => fakeSocket());
  const users = Array.from({ length: 10 }, () => fakeSocket(false));
  const send = (socket: ReturnType<typeof fakeSocket>, count: number) => {
    for (let index = 0; index < count; index++) void websocketHandler.message?.(socket, "x");
  };
  for (const user of users) send(user, 2_000);
  for (const stranger of strangers) send(stranger, 1_000);
  for (const user of users) send(user, 2_000);
  expect(users.map(({ readyState }) => readyState)).toEqual(users.map(() => WebSocket.OPEN));
  expect(takeFloodedCount()).toBe(230); // the first 20 have sent all of theirs before the limit
  await setImmediate();
  const later = fakeSocket();
  send(later, 1_000);
  expect(later.readyState).toBe(WebSocket.OPEN);
});
