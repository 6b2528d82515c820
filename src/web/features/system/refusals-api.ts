import type { refusalBody } from "../../../modules/refusals/refusals.schemas.ts";
import type { topTalkerBody } from "../../../modules/system/top-talkers.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { getPage } from "../../platform/api-client.ts";

export type Refusal = Wire<typeof refusalBody>;
export type TopTalker = Wire<typeof topTalkerBody>;

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
export const TRAFFIC_MEASURES = ["messages", "values", "bytes", "rejected"] as const;
export type TrafficMeasure = (typeof TRAFFIC_MEASURES)[number];

export const refusalsApi = {
  /** Refused credentials that match, the newest first. */
  list: (filter: { edge?: string | undefined; search?: string | undefined; limit: number }) =>
    getPage<Refusal>("/api/gateway/refusals", filter),
  /** The devices that sent the most within the last hour. */
  talkers: (by: TrafficMeasure, limit: number) =>
    getPage<TopTalker>("/api/gateway/top-talkers", { by, limit }),
};
