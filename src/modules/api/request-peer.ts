export const PEER_PROTOCOLS = ["mqtt", "mqtts", "http", "https", "ws", "wss"] as const;

/** Peer of a connection on which a credential was refused. */
export interface Peer {
  readonly address: string;
  readonly protocol: (typeof PEER_PROTOCOLS)[number];
  /** MQTT client id or user agent, as sent by the client. */
  readonly client?: string | undefined;
}

/** Reader of the peer addresses of requests. */
export interface PeerServer {
  requestIP(request: Request): { readonly address: string } | null;
}

const isSecure = ({ url }: Request) => url.startsWith("https:");

export const peerOf = (request: Request, server: PeerServer | null): Peer => ({
  address: server?.requestIP(request)?.address ?? "unknown",
  protocol: isSecure(request) ? "https" : "http",
  client: request.headers.get("user-agent") ?? undefined,
});

/** Returns the peer of a WebSocket upgrade request. */
export const webSocketPeerOf = (request: Request, server: PeerServer | null): Peer => ({
  ...peerOf(request, server),
  protocol: isSecure(request) ? "wss" : "ws",
});
