import { timingSafeEqual } from "node:crypto";
import { conflict, forbidden, limited } from "../../lib/core/domain-error.ts";
import type { DeviceId } from "../../lib/core/ids.ts";
import { AttemptLimit } from "../../lib/data/attempt-limit.ts";
import { iso } from "../../lib/time/iso-time.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { Device } from "../devices/devices.types.ts";
import type { UsersService } from "../users/users.service.ts";
import type { Principal } from "../users/users.types.ts";
import type { ClaimingRepository } from "./claiming.repository.ts";
import type { ClaimableDevice, ClaimingRequest, ClaimingState } from "./claiming.types.ts";
import { parseClaimingRequest } from "./claiming-request.ts";

/** Rate of attempts per caller: a burst for an installer with many machines, then one attempt in five seconds. */
const PER_CALLER = { perSecond: 0.2, burst: 30 };
/** Rate of attempts per device by all callers together: 1,440 guesses a day. */
const PER_DEVICE = { perSecond: 1 / 60, burst: 10 };

interface ClaimingView {
  readonly state: ClaimingState;
  readonly expiresAt?: string;
  readonly claimedAt?: string;
  readonly claimedBy?: string;
}

const isSame = (a: string, b: string) =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

/** Returns whether the device can still be claimed. Setting the clock back by more than the claiming time also ends it. */
const isWaiting = ({ openedAt, expiresAt }: ClaimableDevice, now: number): boolean =>
  now < expiresAt && now > openedAt - (expiresAt - openedAt);

/** Describes a device for users; `found` is undefined if it is not claimable. */
function viewOf(found: ClaimableDevice | undefined, now: number): ClaimingView {
  if (found === undefined) return { state: "NONE" };
  const { claimedAt, ownerName } = found;
  if (claimedAt !== null) return { state: "CLAIMED", claimedAt: iso(claimedAt), claimedBy: ownerName ?? "" };
  const state = isWaiting(found, now) ? "WAITING" : "EXPIRED";
  return { state, expiresAt: iso(found.expiresAt) };
}

/** Returns the device that waits for the secret key. @throws DomainError `conflict` if it is claimed, `forbidden` if there is none */
function findWaiting(named: readonly ClaimableDevice[], hash: string, now: number): DeviceId {
  const matching = named.filter(({ secretHash }) => isSame(secretHash, hash));
  const found = matching.find((device) => device.claimedAt === null && isWaiting(device, now));
  if (found !== undefined) return found.deviceId;
  if (matching.some(({ claimedAt }) => claimedAt !== null)) throw conflict("claiming.claimed");
  throw forbidden("claiming.refused");
}

/** Creates the limits of claim attempts, right or wrong. Each function throws `limited`. */
function createAttempts(clock: Pick<Clock, "monotonic">) {
  const ensure = (limit: AttemptLimit) => (name: string) => {
    const waitMs = limit.take(name, clock.monotonic());
    if (waitMs > 0) throw limited("claiming.limited", Math.max(1, Math.ceil(waitMs / 1000)));
  };
  return { ofCaller: ensure(new AttemptLimit(PER_CALLER)), ofDevice: ensure(new AttemptLimit(PER_DEVICE)) };
}

/**
 * Creates the service by which users claim devices with a secret key. A user with limited access is granted the claimed device, and nobody else can
 * claim it before it is released.
 */
export function createClaimingService(deps: {
  repository: ClaimingRepository;
  devices: Pick<DevicesService, "get">;
  users: Pick<UsersService, "grantDevice" | "withdrawDevice">;
  transact: (work: () => void) => void;
  durable: () => Promise<void>;
  clock: Pick<Clock, "now" | "monotonic">;
}) {
  const { repository, devices, users, clock } = deps;
  const attempts = createAttempts(clock);

  function open(deviceId: DeviceId, { secretKey, durationMs }: ClaimingRequest): boolean {
    const now = clock.now();
    const secretHash = repository.hashOf(secretKey);
    return repository.open({ deviceId, secretHash, openedAt: now, expiresAt: now + durationMs });
  }

  return {
    check: parseClaimingRequest,
    /** Processes the request of a device. A claimed device stays unchanged, because firmware may repeat its request. */
    request(device: Pick<Device, "deviceId">, request: ClaimingRequest): Promise<void> {
      open(device.deviceId, request);
      return deps.durable();
    },
    get: (principal: Principal, deviceId: string): ClaimingView =>
      viewOf(repository.find(devices.get(principal, deviceId).deviceId), clock.now()),
    /** Makes a device claimable that does not send a request itself. */
    open(principal: Principal, deviceId: string, request: ClaimingRequest): ClaimingView {
      const device = devices.get(principal, deviceId);
      if (!open(device.deviceId, request)) throw conflict("claiming.claimed");
      return viewOf(repository.find(device.deviceId), clock.now());
    },
    /**
     * Claims a device; resolves when the claim is on disk. @throws DomainError `forbidden` if the device does not wait, the secret key is wrong, or
     * both, so that existing devices are not revealed
     */
    async claim(
      principal: Principal,
      { deviceName, secretKey }: { deviceName: string; secretKey: string },
    ): Promise<{ deviceId: DeviceId; name: string }> {
      const { tenantId, userId, email, apiKey } = principal;
      attempts.ofCaller(apiKey?.apiKeyId ?? userId);
      if (apiKey !== undefined && principal.devices !== "all") throw forbidden("claiming.limited_key");
      const named = repository.listNamed(tenantId, deviceName);
      if (named.length > 0) attempts.ofDevice(repository.hashOf(`${tenantId} ${deviceName}`));
      const deviceId = findWaiting(named, repository.hashOf(secretKey), clock.now());
      const owner = { ownerId: apiKey?.apiKeyId ?? userId, ownerName: apiKey?.name ?? email };
      deps.transact(() => {
        if (!repository.claim(deviceId, { claimedAt: clock.now(), ...owner }))
          throw conflict("claiming.claimed");
        if (apiKey === undefined) users.grantDevice(userId, deviceId);
      });
      await deps.durable();
      return { deviceId, name: deviceName };
    },
    /** Ends a claim, or the device's claimable time. The former owner only keeps access granted otherwise. */
    release(principal: Principal, deviceId: string): void {
      const device = devices.get(principal, deviceId);
      const found = repository.find(device.deviceId);
      if (found === undefined) return;
      deps.transact(() => {
        repository.delete(device.deviceId);
        if (found.ownerId !== null) users.withdrawDevice(found.ownerId, device.deviceId);
      });
    },
  };
}

export type ClaimingService = ReturnType<typeof createClaimingService>;
