import { AttemptLimit } from "../../lib/attempt-limit.ts";
import { limited } from "../../lib/domain-error.ts";
import type { ProfileId } from "../../lib/ids.ts";
import { RateMeter } from "../../lib/rate-meter.ts";
import type { Clock } from "../../platform/clock.ts";
import type { ReportRefusal } from "../refusals/refusals.types.ts";
import type { Peer } from "../request-peer.ts";

/** A batch of new devices behind one router comes in a burst; then five a second from an address (of IPv6: a /64). */
const PER_ADDRESS = { perSecond: 5, burst: 200 };
/** Of claims with the right key: each writes. Those of one profile hold up no other. */
const PER_PROFILE = { perSecond: 50, burst: 1_000 };
/** Of all claims with a wrong key or an invalid body: they hold up no right one. */
const FAILED = { perSecond: 50, burst: 1_000 };

/** Limits claims by address and profile, and failed ones in total. */
export function createClaimLimits(clock: Pick<Clock, "monotonic">, report: ReportRefusal) {
  const byAddress = new AttemptLimit(PER_ADDRESS);
  const failed = Object.assign(new RateMeter(), FAILED);
  /** Meters of profiles whose devices have claimed since the start. */
  const byProfile = new Map<ProfileId, RateMeter>();

  function ensure(peer: Peer, waitMs: number): void {
    if (waitMs === 0) return;
    const identity = { kind: "claim", name: "" } as const;
    report({ edge: "provisioning", reason: "too_many_tries", ...peer, identity });
    throw limited("claim.limited", Math.max(1, Math.ceil(waitMs / 1000)));
  }

  return {
    /** Counts a claim, before anything is known of it. @throws DomainError `limited` */
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
