import { isIPv6 } from "node:net";
import { limited } from "../../lib/domain-error.ts";
import { addressBits } from "../../lib/ip-range.ts";
import { RateMeter } from "../../lib/rate-meter.ts";
import type { Clock } from "../../platform/clock.ts";
import type { IngestDevice } from "../ingest/ingest.types.ts";
import type { DeviceDirectory } from "./device-directory.ts";
import { invalidDeviceToken } from "./devices.errors.ts";

/** A fleet whose tokens were all replaced comes at once; then one wrong token a second from an address. */
const WRONG = { perSecond: 1, burst: 60 };
const ADDRESSES_MAX = 10_000;
/** Bits of an IPv6 address that name a host: one host has as many addresses as it likes. */
const HOST_BITS = 64n;

export interface TokenRequest {
  readonly params: { readonly deviceToken: string };
  readonly request: Request;
  readonly server: { requestIP(request: Request): { address: string } | null } | null;
}

function networkOf(address: string): string {
  const bits = isIPv6(address) ? addressBits(address) : undefined;
  const isMapped = address.startsWith("::ffff:");
  return bits === undefined || isMapped ? address : `${(bits >> HOST_BITS).toString(16)}/64`;
}

/**
 * Sign-in of devices by access token. Wrong tokens are limited by address; right ones never are, so that nobody is locked out by a
 * neighbour behind the same address.
 */
export function createTokenSignIn(deps: {
  directory: Pick<DeviceDirectory, "findByToken">;
  clock: Pick<Clock, "monotonic">;
}) {
  /** Meters of wrong tokens by network; what was used first goes first. */
  const wrong = new Map<string, RateMeter>();

  function meterOf(network: string): RateMeter {
    const rateMeter = wrong.get(network);
    if (rateMeter !== undefined) return rateMeter;
    if (wrong.size >= ADDRESSES_MAX) wrong.delete(wrong.keys().next().value ?? "");
    const meter = Object.assign(new RateMeter(), WRONG);
    wrong.set(network, meter);
    return meter;
  }

  const waitAfterWrong = (address: string): number =>
    meterOf(networkOf(address)).take(deps.clock.monotonic());

  return {
    attempt: (token: string, address: string): IngestDevice | "wrong" | "later" =>
      deps.directory.findByToken(token) ?? (waitAfterWrong(address) > 0 ? "later" : "wrong"),
    /** Signs in a request with the token in its path. @throws DomainError `device.token_invalid`, or `limited` after too many wrong ones. */
    ensure({ params, request, server }: TokenRequest): IngestDevice {
      const device = deps.directory.findByToken(params.deviceToken);
      if (device !== undefined) return device;
      const waitMs = waitAfterWrong(server?.requestIP(request)?.address ?? "unknown");
      if (waitMs === 0) throw invalidDeviceToken();
      throw limited("device.token_limited", Math.ceil(waitMs / 1000));
    },
  };
}

export type TokenSignIn = ReturnType<typeof createTokenSignIn>;
