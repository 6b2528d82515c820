import type { faultBody, faultCountBody } from "../../../modules/faults/faults.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { call, get, queryOf } from "../../platform/api-client.ts";

export type Fault = Wire<typeof faultBody>;
export type FaultCount = Wire<typeof faultCountBody>;
export type FaultSubject = NonNullable<Fault["subject"]>;

/** Faults of the site of the reader, or all of the gateway. */
export type FaultScope = "site" | "gateway";

export interface FaultQuery {
  readonly source?: string;
  readonly code?: string;
  readonly subject?: FaultSubject["kind"];
  readonly subjectId?: string;
  /** Epoch ms. */
  readonly from?: number;
  readonly search?: string;
}

const PATHS: Record<FaultScope, string> = { site: "/api/faults", gateway: "/api/gateway/faults" };

export const faultsApi = {
  /** Returns matching faults, newest first. */
  async list(scope: FaultScope, query: FaultQuery & { limit: number }) {
    const { body, total } = await call<Fault[]>("GET", `${PATHS[scope]}?${queryOf(query)}`);
    return { rows: body, total: total ?? body.length };
  },
  counts: (scope: FaultScope) => get<FaultCount[]>(`${PATHS[scope]}/counts`),
  clear: (scope: FaultScope, query: FaultQuery) => call("DELETE", `${PATHS[scope]}?${queryOf(query)}`),
};
