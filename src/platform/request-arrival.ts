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

/** Returns how a request came in; `undefined` for one that came from no trusted proxy. */
export const arrivalOf = (request: object): Arrival | undefined => arrivals.get(request);
