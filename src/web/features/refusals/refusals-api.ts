import type { refusalBody } from "../../../modules/refusals/refusals.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { getPage } from "../../platform/api-client.ts";

export type Refusal = Wire<typeof refusalBody>;

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
export const refusalsApi = {
  /** Refused credentials that match, the newest first. */
  list: (filter: { edge?: string | undefined; search?: string | undefined; limit: number }) =>
    getPage<Refusal>("/api/gateway/refusals", filter),
};
