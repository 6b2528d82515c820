import { timingSafeEqual } from "node:crypto";
import { conflict, DomainError, detail, toText } from "../../lib/core/domain-error.ts";
import type { DeviceId, ProfileId, TenantId, UserId } from "../../lib/core/ids.ts";
import { shownName } from "../../lib/strings/secret-hint.ts";
import { randomToken, sha256 } from "../../platform/core/ids.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { Peer } from "../api/request-peer.ts";
import type { AuditRecorder } from "../audit/audit.types.ts";
import type { CredentialsService } from "../devices/credentials.service.ts";
import type { CredentialsView } from "../devices/credentials.types.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { Device, DeviceActivity } from "../devices/devices.types.ts";
import type { RefusalReason, ReportRefusal } from "../faults/refusals.types.ts";
import type { ProfilesService } from "../profiles/profiles.service.ts";
import { ensureAllDevices } from "../tenants/tenants.errors.ts";
import type { Principal } from "../users/users.types.ts";
import type { ClaimLimits } from "./claim-limits.ts";
import { type ClaimRequest, parseClaim } from "./claim-request.ts";
import type { ProvisioningRepository } from "./provisioning.repository.ts";
import type { ClaimResponse, Provisioning, ProvisioningMode } from "./provisioning.types.ts";

/** Error codes that end a claim, and the reasons under which they are listed. */
const REASONS: ReadonlyMap<string, RefusalReason> = new Map([
  ["claim.in_use", "claim_device_in_use"],
  ["claim.not_expected", "claim_device_unexpected"],
]);

interface RefusedClaim {
  readonly request?: ClaimRequest;
  readonly tenantId?: TenantId;
}

/** Reports a refused claim and returns its response. `error`: undefined for a wrong key or secret. */
function refuseClaim(
  report: ReportRefusal,
  peer: Peer,
  { error, request, tenantId }: RefusedClaim & { readonly error?: DomainError },
): ClaimResponse {
  const reason = error === undefined ? "claim_key_wrong" : (REASONS.get(error.code) ?? "claim_invalid");
  const identity = { kind: "claim", name: shownName(request?.deviceName ?? "") } as const;
  report({ edge: "provisioning", reason, ...peer, identity, tenantId });
  return error === undefined
    ? {
        status: "NOT_FOUND",
        errorMsg: "There is no such key and secret. Compare both with the device profile.",
      }
    : { status: "FAILURE", errorMsg: error.message };
}

/** 15 and 24 random bytes: 20 and 32 URL-safe characters. */
const KEY_BYTES = 15;
const SECRET_BYTES = 24;

/** Claiming client, with the fingerprint of its client certificate if the TLS handshake has proven it. */
export interface ClaimPeer extends Peer {
  readonly fingerprint?: string | undefined;
}

type View = Pick<Provisioning, "mode"> & { readonly key?: string; readonly secret?: string };

const isSame = (a: string, b: string) => timingSafeEqual(Buffer.from(sha256(a)), Buffer.from(sha256(b)));

/** Returns the principal that creates claiming devices. */
const systemOf = (tenantId: TenantId): Principal => ({
  userId: "provisioning" as UserId, // nobody's
  email: "provisioning",
  tenantId,
  role: "TENANT_RW",
  sessionId: "provisioning",
  canAcknowledgeAlarms: false,
  devices: "all",
});

const inUse = () => conflict("claim.in_use");

function responseOf({
  type,
  token = "",
  clientId,
  username,
  password,
  fingerprint = "",
}: CredentialsView): ClaimResponse {
  const status = "SUCCESS";
  if (type === "ACCESS_TOKEN") return { status, credentialsType: type, credentialsValue: token };
  if (type === "X509") return { status, credentialsType: "X509_CERTIFICATE", credentialsValue: fingerprint };
  const value = {
    ...(clientId !== undefined && { clientId }),
    ...(username !== undefined && { userName: username }),
    ...(password !== undefined && { password }),
  };
  return { status, credentialsType: type, credentialsValue: value };
}

function record(
  audit: AuditRecorder,
  { deviceName }: ClaimRequest,
  claim: { tenantId: TenantId; address: string; device?: Device; error?: DomainError },
): void {
  const { tenantId, address, device, error } = claim;
  audit.record({
    tenantId,
    actor: { type: "ANONYMOUS", id: null, name: deviceName },
    action: "device.claim",
    outcome: error === undefined ? "SUCCESS" : "REFUSED",
    target: { type: "device", id: device?.deviceId ?? "", name: deviceName },
    address,
    after: error === undefined ? { profileId: device?.profileId } : { reason: toText(error) },
  });
}

/**
 * Creates the service by which devices claim their own credentials with the key and secret of a profile: new devices, or devices that a user created
 * beforehand. Each device may claim once; a device that is in use or was claimed earlier cannot be claimed by another.
 */
export function createProvisioningService(deps: {
  repository: ProvisioningRepository;
  profiles: Pick<ProfilesService, "get" | "ensure">;
  devices: Pick<DevicesService, "create" | "get" | "findNamed">;
  credentials: Pick<CredentialsService, "prepare" | "apply" | "ensureFree" | "viewOf">;
  activityOf: (deviceId: DeviceId) => DeviceActivity | undefined;
  durable: () => Promise<void>;
  audit: AuditRecorder;
  clock: Clock;
  limits: ClaimLimits;
  report: ReportRefusal;
}) {
  const { repository, profiles, devices, credentials, clock, limits, report } = deps;

  function profileOf(principal: Principal, profileId: string): ProfileId {
    ensureAllDevices(principal, detail("action.change_provisioning"));
    return profiles.get(principal, profileId).profileId;
  }

  function view(profileId: ProfileId): View {
    const found = repository.find(profileId);
    return found === undefined
      ? { mode: "DISABLED" }
      : {
          mode: found.mode,
          key: found.key,
          ...(found.secret !== undefined && { secret: found.secret }),
        };
  }

  const newPair = () => ({ key: randomToken(KEY_BYTES), secret: randomToken(SECRET_BYTES) });

  /** Returns the device that a user created for this claim. @throws DomainError `conflict` if the device does not exist or is already in use */
  function findAwaited(tenantId: TenantId, profileId: ProfileId, name: string): Device {
    const [device, another] = devices.findNamed(tenantId, name);
    if (device === undefined || another !== undefined || device.profileId !== profileId)
      throw conflict("claim.not_expected");
    const { activity: stored } = devices.get(systemOf(tenantId), device.deviceId);
    const { lastActivityAt, lastConnectedAt } = deps.activityOf(device.deviceId) ?? stored;
    const isKnown = lastActivityAt ?? lastConnectedAt;
    if (isKnown !== null || repository.findClaim(device.deviceId) !== undefined) throw inUse();
    return device;
  }

  function createDevice(found: Provisioning & { tenantId: TenantId }, request: ClaimRequest): Device {
    const { tenantId, profileId } = found;
    if (devices.findNamed(tenantId, request.deviceName).length > 0) throw inUse();
    const { name } = profiles.ensure(tenantId, profileId);
    return devices.create(systemOf(tenantId), {
      name: request.deviceName,
      deviceType: request.deviceType ?? name.slice(0, 128),
      profileId,
      role: request.isGateway ? "GATEWAY" : "DEVICE",
    });
  }

  async function grant(
    found: Provisioning & { tenantId: TenantId },
    request: ClaimRequest,
    { address, fingerprint }: ClaimPeer,
  ): Promise<{ device: Device; view: CredentialsView }> {
    const { credentials: wanted, deviceName } = request;
    const prepared = wanted && (await credentials.prepare(wanted, deviceName));
    // No await from here on, so that of two claims of a name, the second finds the first.
    const isNew = found.mode === "ALLOW_NEW";
    const waiting = isNew ? undefined : findAwaited(found.tenantId, found.profileId, request.deviceName);
    if (prepared !== undefined)
      credentials.ensureFree({ tenantId: found.tenantId, deviceId: waiting?.deviceId }, prepared);
    const device = waiting ?? createDevice(found, request);
    repository.saveClaim(device.deviceId, { claimedAt: clock.now(), address });
    if (prepared !== undefined) {
      const proven = fingerprint !== undefined && prepared.other?.fingerprint === fingerprint;
      return { device, view: credentials.apply(device, prepared, proven) };
    }
    const current = credentials.viewOf(device);
    if (current.type === "ACCESS_TOKEN") return { device, view: current };
    // A password set by a person is stored as a hash and cannot be returned, so the device gets a token.
    const token = await credentials.prepare({ type: "ACCESS_TOKEN" }, device.name);
    return { device, view: credentials.apply(device, token) };
  }

  return {
    get: (principal: Principal, profileId: string): View => view(profileOf(principal, profileId)),
    /** Sets the mode, creating a missing key and secret. */
    setMode(principal: Principal, profileId: string, mode: ProvisioningMode): View {
      const id = profileOf(principal, profileId);
      const { key, secret } = view(id);
      const pair = key === undefined || secret === undefined ? newPair() : { key, secret };
      repository.save({ profileId: id, mode, ...pair, updatedAt: clock.now() });
      return view(id);
    },
    /** Replaces key and secret; devices that have claimed keep their credentials. */
    rotate(principal: Principal, profileId: string): View {
      const id = profileOf(principal, profileId);
      const mode = repository.find(id)?.mode ?? "DISABLED";
      repository.save({ profileId: id, mode, ...newPair(), updatedAt: clock.now() });
      return view(id);
    },
    /** Lets a device that lost its credentials claim new ones. */
    reopen: (principal: Principal, deviceId: string): void =>
      repository.deleteClaim(devices.get(principal, deviceId).deviceId),
    /** Returns whether any claims are possible. */
    isOpen: (): boolean => repository.isOpen(),
    /** Processes a claim. Errors of the device are returned, not thrown. @throws DomainError `limited`, `unavailable` */
    async claim(body: unknown, peer: ClaimPeer): Promise<ClaimResponse> {
      limits.take(peer);
      let request: ClaimRequest;
      try {
        request = parseClaim(body);
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        limits.takeFailed(peer);
        return refuseClaim(report, peer, { error });
      }
      const found = repository.findByKey(request.key);
      if (found?.secret === undefined || !isSame(found.secret, request.secret) || found.mode === "DISABLED") {
        limits.takeFailed(peer);
        return refuseClaim(report, peer, { request });
      }
      const { tenantId } = found;
      limits.takeOfProfile(peer, found.profileId);
      try {
        const { device, view: credentialsView } = await grant(found, request, peer);
        record(deps.audit, request, { tenantId, address: peer.address, device });
        await deps.durable();
        return responseOf(credentialsView);
      } catch (error) {
        if (!(error instanceof DomainError) || error.kind === "unavailable") throw error;
        record(deps.audit, request, { tenantId, address: peer.address, error });
        return refuseClaim(report, peer, { error, request, tenantId });
      }
    },
  };
}

export type ProvisioningService = ReturnType<typeof createProvisioningService>;
