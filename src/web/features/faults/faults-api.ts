import type { refusalBody } from "../../../modules/refusals/refusals.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { getPage } from "../../platform/api-client.ts";

export type Refusal = Wire<typeof refusalBody>;

/** Whose refusals: all of the gateway, or those of the reader's own site. */
export type RefusalScope = "gateway" | "site";

const PATHS: Record<RefusalScope, string> = { gateway: "/api/gateway/refusals", site: "/api/refusals" };

export const refusalsApi = {
  /** Refused credentials that match, the newest first. */
  list: (
    scope: RefusalScope,
    filter: { edge?: string | undefined; search?: string | undefined; limit: number },
  ) => getPage<Refusal>(PATHS[scope], filter),
};
