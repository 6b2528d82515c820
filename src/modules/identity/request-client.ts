import type { Client } from "./identity.types.ts";

export type RequestServer = { requestIP(request: Request): { address: string } | null } | null;

/** Returns the client from which a request comes. */
export const clientOf = (request: Request, server: RequestServer): Client => ({
  address: server?.requestIP(request)?.address ?? "local",
  userAgent: request.headers.get("user-agent") ?? "",
});
