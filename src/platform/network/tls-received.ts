import type { Socket } from "node:net";
import { type AcceptedSockets, openAcceptedSockets } from "./accepted-sockets.ts";

/**
 * Max. received bytes of a TLS connection that wait for the gateway, which reads all of them in one round of the event loop: 100 KB in records of one
 * byte take 1 ms, and hundreds of connections may have received them together. The kernel takes twice as many, for its own part.
 */
export const TLS_RECEIVED_BYTES_MAX = 16 * 1024;

/** Opened at the first connection. */
let sockets: { readonly limits: Pick<AcceptedSockets, "limitReceived"> | undefined } | undefined;

/** Limits the received bytes of a TLS connection to a foreign server, as far as the system allows it. */
export function limitTlsReceived<Connection extends Socket>(socket: Connection): Connection {
  socket.once("connect", () => {
    // Not in the types: Bun has the descriptor here, as Node.js does.
    const { _handle: handle } = socket as { _handle?: { readonly fd?: number } | null };
    if (handle?.fd === undefined || handle.fd < 0) return;
    sockets ??= { limits: openAcceptedSockets() };
    sockets.limits?.limitReceived(handle.fd, TLS_RECEIVED_BYTES_MAX);
  });
  return socket;
}
