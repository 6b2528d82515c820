import type { TenantId } from "../../lib/core/ids.ts";
import type { OutboundAddresses } from "../../platform/network/outbound-address.ts";
import type { HttpExchange } from "./http-exchange.ts";

/** Connections of other modules to servers that people name, by one rule of permitted addresses and trusted authorities. */
export interface OutboundReach {
  readonly addresses: OutboundAddresses;
  /** `undefined` if the usual ones. */
  readonly authorities: readonly string[] | undefined;
  readonly exchange: HttpExchange;
  /** Returns whether the tenant is that of the gateway's own people. */
  readonly isHost: (tenantId: TenantId) => boolean;
}
