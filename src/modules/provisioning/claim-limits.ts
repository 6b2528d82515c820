import { limited } from "../../lib/core/domain-error.ts";
import type { ProfileId } from "../../lib/core/ids.ts";
import { AttemptLimit } from "../../lib/data/attempt-limit.ts";
import { RateMeter } from "../../lib/data/rate-meter.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { Peer } from "../api/request-peer.ts";
import type { ReportRefusal } from "../faults/refusals.types.ts";

/** Claims per address (IPv6: per /64 network): a burst for a batch of new devices behind a router, then 5 per second. */
const PER_ADDRESS = { perSecond: 5, burst: 200 };
/** Claims with the right key per profile, each of which writes; separate so that profiles do not block each other. */
const PER_PROFILE = { perSecond: 50, burst: 1_000 };
/** All claims with a wrong key or an invalid body, counted separately so that they do not block valid claims. */
const FAILED = { perSecond: 50, burst: 1_000 };

/** Limits claims by address and profile, and failed ones in total. */
export function createClaimLimits(clock: Pick<Clock, "monotonic">, report: ReportRefusal) {
  const byAddress = new AttemptLimit(PER_ADDRESS);
  const failed = Object.assign(new RateMeter(), FAILED);
  /** Meters of profiles with claims since startup. */
  const byProfile = new Map<ProfileId, RateMeter>();

  function ensure(peer: Peer, waitMs: number): void {
    if (waitMs === 0) return;
    const identity = { kind: "claim", name: "" } as const;
    report({ edge: "provisioning", reason: "too_many_tries", ...peer, identity });
    throw limited("claim.limited", Math.max(1, Math.ceil(waitMs / 1000)));
  }

  return {
    /** Counts a claim before it is parsed. @throws DomainError `limited` */
    take: (peer: Peer): void => ensure(peer, byAddress.take(peer.address, clock.monotonic())),
    /** Counts a claim with a wrong key or an invalid body. @throws DomainError `limited` */
    takeFailed: (peer: Peer): void => ensure(peer, failed.take(clock.monotonic())),
    /** Counts a claim with the right key of a profile. @throws DomainError `limited` */
    takeOfProfile(peer: Peer, profileId: ProfileId): void {
      const meter = byProfile.get(profileId) ?? Object.assign(new RateMeter(), PER_PROFILE);
      byProfile.set(profileId, meter);
      ensure(peer, meter.take(clock.monotonic()));
    },
  };
}

export type ClaimLimits = ReturnType<typeof createClaimLimits>;
