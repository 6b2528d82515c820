import { conflict, invalid } from "../../lib/domain-error.ts";
import type { DeviceId, TenantId } from "../../lib/ids.ts";
import type { ClientPasswords } from "../../platform/client-passwords.ts";
import type { Clock } from "../../platform/clock.ts";
import type { EventBus } from "../../platform/event-bus.ts";
import { newId } from "../../platform/ids.ts";
import type { DomainEvents } from "../events.types.ts";
import {
  certificateFactsOf,
  type LoginIdentitiesService,
} from "../login-identities/login-identities.service.ts";
import {
  API_KEY_PREFIX,
  type Login,
  PROVISION_USERNAME,
} from "../login-identities/login-identities.types.ts";
import type { Principal } from "../users/users.types.ts";
import type { CredentialsRepository } from "./credentials.repository.ts";
import {
  type CredentialsChange,
  type CredentialsView,
  credentialsTypeOf,
  type OtherCredentials,
  placeholderToken,
} from "./credentials.types.ts";
import { newToken } from "./device-building.ts";
import { certificateTaken, identityTaken, tokenTaken } from "./devices.errors.ts";
import type { DevicesRepository } from "./devices.repository.ts";
import type { DevicesService } from "./devices.service.ts";
import type { Device } from "./devices.types.ts";

export interface PreparedCredentials {
  readonly other: Omit<OtherCredentials, "deviceId" | "updatedAt"> | undefined;
  readonly token: string;
  readonly password?: string | undefined;
}

/** `deviceId` is undefined for a new device. */
interface CredentialsOwner {
  readonly tenantId: TenantId;
  readonly deviceId?: DeviceId | undefined;
}

const noOther = { clientId: null, username: null, passwordHash: null, fingerprint: null, validTo: null };

/** What a sign-in of the device is found by, unless it has a token. */
function loginOf({ other }: Pick<PreparedCredentials, "other">): Login | undefined {
  if (other === undefined) return undefined;
  if (other.fingerprint !== null) return { kind: "CERTIFICATE", fingerprint: other.fingerprint };
  return { kind: "NAME", clientId: other.clientId, username: other.username };
}

/** User name, client id and a hash of the password, which is made unless given. */
async function basicOf(
  passwords: ClientPasswords,
  change: Extract<CredentialsChange, { type: "MQTT_BASIC" }>,
) {
  const { clientId = null, username = null, password } = change;
  if (clientId === null && username === null) throw invalid("credentials.name_missing");
  if (username === PROVISION_USERNAME) throw invalid("credentials.name_reserved");
  if (password?.startsWith(API_KEY_PREFIX) === true) throw invalid("credentials.password_reserved");
  const next =
    password === undefined
      ? passwords.generate()
      : { password: undefined, passwordHash: await passwords.hash(password) };
  return { sealedPassword: next, names: { clientId, username } };
}

/**
 * Creates the service of credentials: an access token, or user name (or client id) and password, or a client certificate. A
 * device has one of them. Every change ends the sessions of the device.
 */
export function createCredentialsService(deps: {
  repository: CredentialsRepository;
  devices: Pick<DevicesService, "get">;
  devicesRepository: Pick<DevicesRepository, "find" | "hashOf" | "findByTokenHash">;
  logins: Pick<LoginIdentitiesService, "isTaken" | "save" | "isConfirmed" | "confirm">;
  passwords: ClientPasswords;
  transact: (work: () => void) => void;
  clock: Pick<Clock, "now">;
  events: EventBus<DomainEvents>;
}) {
  const { repository, devicesRepository, logins, passwords } = deps;

  function viewOf(device: Device): CredentialsView {
    const type = credentialsTypeOf(device);
    if (type === "ACCESS_TOKEN") return { type, token: device.token };
    const { clientId, username, fingerprint, validTo } = repository.find(device.deviceId) ?? noOther;
    return {
      type,
      ...(clientId !== null && { clientId }),
      ...(username !== null && { username }),
      ...(fingerprint !== null && { fingerprint }),
      ...(validTo !== null && { validTo: new Date(validTo).toISOString() }),
      ...(type === "X509" && { confirmed: logins.isConfirmed(device.deviceId) }),
    };
  }

  async function prepare(change: CredentialsChange): Promise<PreparedCredentials> {
    const { type } = change;
    if (type === "ACCESS_TOKEN") return { other: undefined, token: change.token ?? newToken() };
    const token = placeholderToken(type, newId());
    if (type === "X509") return { other: { ...noOther, type, ...certificateFactsOf(change) }, token };
    const { sealedPassword: next, names } = await basicOf(passwords, change);
    const { password, passwordHash } = next;
    return { other: { ...noOther, type, ...names, passwordHash }, token, password };
  }

  function ensureFree(owner: CredentialsOwner, { other, token }: PreparedCredentials): void {
    const tokenOwner = devicesRepository.findByTokenHash(devicesRepository.hashOf(token));
    if (tokenOwner !== undefined && tokenOwner.deviceId !== owner.deviceId) throw tokenTaken();
    const login = loginOf({ other });
    if (login === undefined || !logins.isTaken({ ...owner, ownerId: owner.deviceId }, login)) return;
    throw login.kind === "NAME" ? identityTaken() : certificateTaken();
  }

  function save(
    { tenantId, deviceId }: Device,
    prepared: PreparedCredentials,
    isProven = false,
  ): CredentialsView {
    const now = deps.clock.now();
    deps.transact(() => {
      ensureFree({ tenantId, deviceId }, prepared);
      repository.saveToken(deviceId, prepared.token, now);
      if (prepared.other === undefined) repository.delete(deviceId);
      else repository.save({ ...prepared.other, deviceId, updatedAt: now });
      logins.save({ tenantId, deviceId }, loginOf(prepared));
      if (isProven) logins.confirm(deviceId);
    });
    const device = devicesRepository.find(deviceId);
    if (device === undefined) throw conflict("device.gone");
    deps.events.emit("device.credentials", { tenantId, deviceId });
    const { password } = prepared;
    return { ...viewOf(device), ...(password !== undefined && { password }) };
  }

  return {
    viewOf,
    get: (principal: Principal, deviceId: string): CredentialsView =>
      viewOf(deps.devices.get(principal, deviceId)),
    /** A generated password is in this answer and in no other. */
    async set(principal: Principal, deviceId: string, change: CredentialsChange): Promise<CredentialsView> {
      deps.devices.get(principal, deviceId);
      const prepared = await prepare(change);
      return save(deps.devices.get(principal, deviceId), prepared); // it may be gone, or the caller's no more
    },
    /** Used for devices that make themselves known: `set` in steps, of which only the first waits. */
    prepare,
    /** Throws `conflict` if another device or MQTT client of the tenant has them. */
    ensureFree,
    /** `isProven`: the device has shown that the certificate is its own. */
    apply: save,
    /** A new secret of the same kind. */
    rotate(principal: Principal, deviceId: string): CredentialsView {
      const device = deps.devices.get(principal, deviceId);
      const other = repository.find(device.deviceId);
      if (other === undefined) return save(device, { other: undefined, token: newToken() });
      if (other.type === "X509") throw conflict("credentials.certificate");
      const { password, passwordHash } = passwords.generate();
      const { deviceId: _, updatedAt: __, ...kept } = other;
      return save(device, { other: { ...kept, passwordHash }, token: device.token, password });
    },
  };
}

export type CredentialsService = ReturnType<typeof createCredentialsService>;
