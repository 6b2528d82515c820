import type { topTalkerBody } from "../../../modules/system/top-talkers.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { getPage } from "../../platform/api-client.ts";

export type TopTalker = Wire<typeof topTalkerBody>;

export const TRAFFIC_MEASURES = ["messages", "values", "bytes", "rejected"] as const;
export type TrafficMeasure = (typeof TRAFFIC_MEASURES)[number];

export const talkersApi = {
  /** The devices that sent the most in the last hour. */
  list: (by: TrafficMeasure, limit: number) => getPage<TopTalker>("/api/gateway/top-talkers", { by, limit }),
};
