import type { RefusalEdge } from "../../lib/alarms/fault-sources.ts";
import { type DomainError, limited } from "../../lib/core/domain-error.ts";
import { AttemptLimit } from "../../lib/data/attempt-limit.ts";
import { secretHint } from "../../lib/strings/secret-hint.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { type PeerServer, peerOf, webSocketPeerOf } from "../api/request-peer.ts";
import type { ReportRefusal } from "../faults/refusals.types.ts";
import type { IngestDevice } from "../ingest/ingest.types.ts";
import type { DeviceDirectory } from "./device-directory.ts";
import { contractInvalidToken, invalidDeviceToken } from "./devices.errors.ts";

/** Rate of wrong tokens per address: a burst for a fleet whose tokens were all replaced, then one per second. */
const WRONG = { perSecond: 1, burst: 60 };

export interface TokenRequest {
  readonly params: { readonly deviceToken: string };
  readonly request: Request;
  readonly server: PeerServer | null;
}

type TokenEdge = RefusalEdge & `device_${string}`;

function refuse(error: DomainError): never {
  throw error;
}

/**
 * Creates the sign-in of devices by access token. Wrong tokens are limited by address; valid tokens never are, so that devices behind the same
 * address do not lock each other out.
 */
export function createTokenSignIn(deps: {
  directory: Pick<DeviceDirectory, "findByToken">;
  clock: Pick<Clock, "monotonic">;
  report: ReportRefusal;
}) {
  const wrong = new AttemptLimit(WRONG);
  const waitAfterWrong = (address: string): number => wrong.take(address, deps.clock.monotonic());

  /** Finds the device of a request, or counts and reports the wrong token. @throws DomainError `limited` after too many wrong tokens */
  function find({ params, request, server }: TokenRequest, edge: TokenEdge): IngestDevice | undefined {
    const { deviceToken } = params;
    const device = deps.directory.findByToken(deviceToken);
    if (device !== undefined) return device;
    const peer = edge === "device_api" ? peerOf(request, server) : webSocketPeerOf(request, server);
    const waitMs = waitAfterWrong(peer.address);
    const cause = deviceToken === "" ? "credential_missing" : "token_wrong";
    const reason = waitMs > 0 ? "too_many_tries" : cause;
    deps.report({ edge, reason, ...peer, identity: { kind: "token", name: secretHint(deviceToken) } });
    if (waitMs > 0) throw limited("device.token_limited", Math.ceil(waitMs / 1000));
    return undefined;
  }

  return {
    attempt: (token: string, address: string): IngestDevice | "wrong" | "later" =>
      deps.directory.findByToken(token) ?? (waitAfterWrong(address) > 0 ? "later" : "wrong"),
    isKnown: (token: string): boolean => deps.directory.findByToken(token) !== undefined,
    /** Counts another wrong credential of a device or program towards the same limit. */
    countWrong: (address: string): "wrong" | "later" => (waitAfterWrong(address) > 0 ? "later" : "wrong"),
    /** Authenticates a request by the token in its path. @throws DomainError `device.token_invalid`; `limited` after too many wrong tokens */
    ensure: (asked: TokenRequest, edge: TokenEdge = "device_api"): IngestDevice =>
      find(asked, edge) ?? refuse(invalidDeviceToken()),
    /** Like `ensure`, for operations of the service contract, which return 400 for a wrong token. */
    ensureByContract: (asked: TokenRequest): IngestDevice =>
      find(asked, "device_api") ?? refuse(contractInvalidToken()),
  };
}

export type TokenSignIn = ReturnType<typeof createTokenSignIn>;
