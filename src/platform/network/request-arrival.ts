/** Address and port of a peer, as Bun has them. */
export interface SocketPeer {
  readonly address: string;
  readonly port: number;
}

/** How a request from a trusted proxy came in, before the gateway took it for the client's. */
export interface Arrival {
  /** The proxy. */
  readonly peer: SocketPeer;
  readonly client: SocketPeer;
  /** URL by which the proxy asked. */
  readonly url: string;
}

const arrivals = new WeakMap<object, Arrival>();

export const noteArrival = (request: object, arrival: Arrival): void => void arrivals.set(request, arrival);

/** Returns the arrival of a request; `undefined` for one that came from no trusted proxy. */
export const arrivalOf = (request: object): Arrival | undefined => arrivals.get(request);

/** Source of the peers of requests: the server. */
export type PeerReader = { requestIP(request: Request): SocketPeer | null } | null | undefined;

/** Request → its peer. The runtime makes several system calls for each look-up. */
const peers = new WeakMap<Request, SocketPeer | null>();

function socketPeerOf(request: Request, server: PeerReader): SocketPeer | null {
  const existing = peers.get(request);
  if (existing !== undefined) return existing;
  const peer = server?.requestIP(request) ?? null;
  peers.set(request, peer);
  return peer;
}

/** Returns the other end of the connection that a request came by, which may be a proxy. */
export const peerOf = (request: Request, server: PeerReader): SocketPeer | null =>
  arrivalOf(request)?.peer ?? socketPeerOf(request, server);

/** Returns the client of a request: its peer, or the client that a trusted proxy names. */
export const requestClientOf = (request: Request, server: PeerReader): SocketPeer | null =>
  arrivalOf(request)?.client ?? socketPeerOf(request, server);
