import type { DomainError } from "../../lib/domain-error.ts";
import type { TenantId } from "../../lib/ids.ts";
import { shownName } from "../../lib/secret-hint.ts";
import type { RefusalReason, ReportRefusal } from "../faults/refusals.types.ts";
import type { Peer } from "../request-peer.ts";
import type { ClaimRequest } from "./claim-request.ts";
import type { ClaimAnswer } from "./provisioning.types.ts";

/** Codes of errors that end a claim, and the reasons that they are listed under. */
const reasons: ReadonlyMap<string, RefusalReason> = new Map([
  ["claim.in_use", "claim_device_in_use"],
  ["claim.not_expected", "claim_device_unexpected"],
]);

interface RefusedClaim {
  readonly request?: ClaimRequest;
  readonly tenantId?: TenantId;
}

/** Reports a claim that was refused and returns its answer. `error`: undefined for a wrong key or secret. */
export function refuseClaim(
  report: ReportRefusal,
  peer: Peer,
  { error, request, tenantId }: RefusedClaim & { readonly error?: DomainError },
): ClaimAnswer {
  const reason = error === undefined ? "claim_key_wrong" : (reasons.get(error.code) ?? "claim_invalid");
  const identity = { kind: "claim", name: shownName(request?.deviceName ?? "") } as const;
  report({ edge: "provisioning", reason, ...peer, identity, tenantId });
  return error === undefined
    ? {
        status: "NOT_FOUND",
        errorMsg: "There is no such key and secret. Compare both with the device profile.",
      }
    : { status: "FAILURE", errorMsg: error.message };
}
