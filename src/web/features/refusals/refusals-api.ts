import type { refusalBody } from "../../../modules/refusals/refusals.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { getPage } from "../../platform/api-client.ts";

export type Refusal = Wire<typeof refusalBody>;
/** Whose refusals are listed: all of the gateway, for its operators, or those of the own tenant. */
export type RefusalScope = "gateway" | "tenant";

export const REFUSAL_EDGES: readonly Refusal["edge"][] = [
  "mqtt",
  "device_api",
  "device_websocket",
  "api",
  "sign_in",
  "realtime",
  "webhook",
  "provisioning",
  "metrics",
];
const PATHS: Record<RefusalScope, string> = { gateway: "/api/gateway/refusals", tenant: "/api/refusals" };

export const refusalsApi = {
  /** Refused credentials that match, the newest first. */
  list: (
    scope: RefusalScope,
    filter: { edge?: string | undefined; search?: string | undefined; limit: number },
  ) => getPage<Refusal>(PATHS[scope], filter),
};
