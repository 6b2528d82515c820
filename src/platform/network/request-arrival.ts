/** Address and port of a peer, in the form of Bun. */
export interface SocketPeer {
  readonly address: string;
  readonly port: number;
}

/** Original arrival of a request from a trusted proxy, before the address of the client replaced it. */
export interface Arrival {
  /** The proxy. */
  readonly peer: SocketPeer;
  readonly client: SocketPeer;
  /** URL requested by the proxy. */
  readonly url: string;
}

const arrivals = new WeakMap<object, Arrival>();

export const noteArrival = (request: object, arrival: Arrival): void => void arrivals.set(request, arrival);

/** Returns the arrival of a request; undefined if it did not come from a trusted proxy. */
export const arrivalOf = (request: object): Arrival | undefined => arrivals.get(request);

/** Source of the peers of requests: the server. */
export type PeerReader = { requestIP(request: Request): SocketPeer | null } | null | undefined;

/** Peer by request. The runtime makes several system calls per lookup. */
const peers = new WeakMap<Request, SocketPeer | null>();

function socketPeerOf(request: Request, server: PeerReader): SocketPeer | null {
  const existing = peers.get(request);
  if (existing !== undefined) return existing;
  const peer = server?.requestIP(request) ?? null;
  peers.set(request, peer);
  return peer;
}

/** Returns the peer of the connection of a request, which may be a proxy. */
export const peerOf = (request: Request, server: PeerReader): SocketPeer | null =>
  arrivalOf(request)?.peer ?? socketPeerOf(request, server);

/** Returns the client of a request: its peer, or the client that a trusted proxy names. */
export const requestClientOf = (request: Request, server: PeerReader): SocketPeer | null =>
  arrivalOf(request)?.client ?? socketPeerOf(request, server);
