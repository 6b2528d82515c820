import { expect, test } from "bun:test";
import type { ServerWebSocket } from "bun";
import { type SocketHandlers, takeFloodedCount, websocketHandler } from "../../src/http/sockets.ts";

function fakeSocket() {
  const socket = {
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
