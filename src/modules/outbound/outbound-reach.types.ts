import type { TenantId } from "../../lib/core/ids.ts";
import type { OutboundAddresses } from "../../platform/network/outbound-address.ts";
import type { HttpExchange } from "./http-exchange.ts";

/** Rule of permitted addresses and trusted authorities, shared by other modules' connections to user-defined servers. */
export interface OutboundReach {
  readonly addresses: OutboundAddresses;
  /** `undefined` for the default authorities. */
  readonly authorities: readonly string[] | undefined;
  readonly exchange: HttpExchange;
  /** Returns whether the tenant is the gateway's own. */
  readonly isHost: (tenantId: TenantId) => boolean;
}
