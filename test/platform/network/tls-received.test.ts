import { expect, test } from "bun:test";
import { connect, createServer, type TLSSocket } from "node:tls";
import { openAcceptedSockets } from "../../../src/platform/network/accepted-sockets.ts";
import { createAuthority, createServerCertificate } from "../../../src/platform/network/tls-certificates.ts";
import { limitTlsReceived, TLS_RECEIVED_BYTES_MAX } from "../../../src/platform/network/tls-received.ts";
import { until } from "../../support/until.ts";

const HANDSHAKE_BYTES = 4 * 1024;

/** Bytes that the kernel takes for a connection that is not read. */
async function receivedBy(limit: (socket: TLSSocket) => TLSSocket): Promise<number> {
  const sockets = openAcceptedSockets();
  if (sockets === undefined) throw new Error("only for Linux");
  const authority = await createAuthority(Date.now(), "localhost");
  const certificate = await createServerCertificate(authority, { dns: ["localhost"], ip: [] }, Date.now());
  const server = createServer(certificate, (socket) => {
    socket.on("error", () => undefined);
    socket.write(Buffer.alloc(4 * 1024 * 1024));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const client = limit(connect({ host: "127.0.0.1", port, rejectUnauthorized: false }));
  client.pause();
  await new Promise((resolve) => client.once("secureConnect", resolve));
  const descriptor = sockets.descriptors().find((each) => sockets.localPortOf(each) === client.localPort);
  const received = () => sockets.trafficOf(descriptor ?? -1).received;
  let before = -1;
  await until(() => {
    const isFull = received() > HANDSHAKE_BYTES && received() === before;
    before = received();
    return isFull;
  });
  client.destroy();
  server.close();
  return before;
}

test("a foreign server can send few bytes of TLS that wait unread", async () => {
  expect(await receivedBy((socket) => socket)).toBeGreaterThan(128 * 1024);
  expect(await receivedBy(limitTlsReceived)).toBeLessThan(2 * TLS_RECEIVED_BYTES_MAX + HANDSHAKE_BYTES);
});
