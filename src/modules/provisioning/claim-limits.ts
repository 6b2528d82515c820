import { limited } from "../../lib/domain-error.ts";
import { RateMeter } from "../../lib/rate-meter.ts";
import type { Clock } from "../../platform/clock.ts";
import type { ReportRefusal } from "../refusals/refusals.types.ts";
import type { Peer } from "../request-peer.ts";

/** A batch of new devices behind one router comes at once; then five a second from an address, and fifty from all. */
const PER_ADDRESS = { perSecond: 5, burst: 200 };
const OF_ALL = { perSecond: 50, burst: 1_000 };
const ADDRESSES_MAX = 10_000;

function createMeter({ perSecond, burst }: typeof OF_ALL): RateMeter {
  const meter = new RateMeter();
  meter.perSecond = perSecond;
  meter.burst = burst;
  return meter;
}

/** Limits claims by address and in total, because every claim may write. */
export function createClaimLimits(clock: Pick<Clock, "monotonic">, report: ReportRefusal) {
  const all = createMeter(OF_ALL);
  /** Meters by address; what was used first goes first. */
  const byAddress = new Map<string, RateMeter>();
  return {
    /** Throws `limited`. */
    take(peer: Peer): void {
      const { address } = peer;
      const now = clock.monotonic();
      const meter = byAddress.get(address) ?? createMeter(PER_ADDRESS);
      if (!byAddress.has(address) && byAddress.size >= ADDRESSES_MAX)
        byAddress.delete(byAddress.keys().next().value ?? "");
      byAddress.set(address, meter);
      const waitMs = meter.take(now) || all.take(now);
      if (waitMs === 0) return;
      const identity = { kind: "claim", name: "" } as const;
      report({ edge: "provisioning", reason: "too_many_tries", ...peer, identity });
      throw limited("claim.limited", Math.max(1, Math.ceil(waitMs / 1000)));
    },
  };
}

export type ClaimLimits = ReturnType<typeof createClaimLimits>;
