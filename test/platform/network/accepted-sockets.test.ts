import { expect, test } from "bun:test";
import { openAcceptedSockets } from "../../../src/platform/network/accepted-sockets.ts";
import { until } from "../../support/until.ts";

const LIMIT = 16 * 1024;
const ignore = () => undefined;

/** Bytes that the kernel takes for a connection whose server reads nothing. */
async function receivedOf(limit: number | undefined): Promise<number> {
  const sockets = openAcceptedSockets();
  if (sockets === undefined) throw new Error("only for Linux");
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: { open: (socket) => void socket.pause(), data: ignore, error: ignore },
  });
  const find = (isSearched: (descriptor: number) => boolean) => sockets.descriptors().find(isSearched);
  const isOfServer = (descriptor: number) => sockets.localPortOf(descriptor) === server.port;
  const listener = find((descriptor) => isOfServer(descriptor) && sockets.peerOf(descriptor) === undefined);
  if (listener !== undefined && limit !== undefined) sockets.limitReceived(listener, limit);
  const client = await Bun.connect({
    hostname: "127.0.0.1",
    port: server.port,
    socket: {
      open: (socket) => void socket.write(Buffer.alloc(4 * 1024 * 1024)),
      data: ignore,
      error: ignore,
    },
  });
  let accepted: number | undefined;
  await until(() => {
    accepted = find((descriptor) => isOfServer(descriptor) && sockets.peerOf(descriptor) !== undefined);
    return accepted !== undefined;
  });
  const received = () => sockets.trafficOf(accepted ?? -1).received;
  let before = -1;
  await until(() => {
    const isFull = received() > 0 && received() === before;
    before = received();
    return isFull;
  });
  client.terminate();
  server.stop(true);
  return before;
}

test("connections of a listening socket inherit the limit of what they receive unread", async () => {
  expect(await receivedOf(undefined)).toBeGreaterThan(2 * LIMIT);
  expect(await receivedOf(LIMIT)).toBeLessThanOrEqual(2 * LIMIT);
});
