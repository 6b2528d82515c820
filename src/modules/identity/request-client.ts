import type { PeerServer } from "../api/request-peer.ts";
import type { Client } from "./identity.types.ts";

/** Returns the client from which a request comes. */
export const clientOf = (request: Request, server: PeerServer | null): Client => ({
  address: server?.requestIP(request)?.address ?? "local",
  userAgent: request.headers.get("user-agent") ?? "",
});
