import { unavailable } from "../../lib/core/domain-error.ts";
import type { OutboundRule } from "./outbound-address.ts";

/** Max. addresses of a name that are tried, one after the other. */
const ADDRESSES_MAX = 3;

interface OpenTarget {
  readonly host: string;
  readonly port: number;
  readonly addresses: Pick<OutboundRule, "resolve">;
  readonly signal: AbortSignal;
}

/** Resolves the name, unless the signal is aborted. */
async function addressesOf({ addresses, host, port, signal }: OpenTarget): Promise<string[]> {
  const { promise, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(new Error("stopped"));
  if (signal.aborted) giveUp();
  signal.addEventListener("abort", giveUp);
  try {
    return (await Promise.race([addresses.resolve(host, port), promise])).slice(0, ADDRESSES_MAX);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

/**
 * Opens a connection to the first address of the name that responds.
 * @throws Error of the network, or DomainError for an address that is not allowed
 */
export async function openFirst<Connection>(
  target: OpenTarget,
  open: (address: string) => Promise<Connection>,
): Promise<Connection> {
  let failure: unknown = unavailable("network_error.no_address");
  for (const address of await addressesOf(target)) {
    if (target.signal.aborted) break;
    try {
      return await open(address);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}
