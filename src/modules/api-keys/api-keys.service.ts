import type { DeviceId } from "../../lib/core/ids.ts";
import { omit } from "../../lib/core/omit.ts";
import { parseIsoTime } from "../../lib/time/iso-time.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { UsersService } from "../users/users.service.ts";
import { type Principal, ROLES } from "../users/users.types.ts";
import {
  apiKeyBeyondOwnAccess,
  apiKeyDeviceUnknown,
  apiKeyExpiryInvalid,
  apiKeyRoleTooHigh,
  apiKeyWhileActing,
} from "./api-keys.errors.ts";
import type { ApiKeysRepository } from "./api-keys.repository.ts";
import type { ApiKey, apiKeyResource } from "./api-keys.resource.ts";
import type { ApiKeyStatus } from "./api-keys.types.ts";
import type { KeyAuthenticator } from "./key-authenticator.ts";
import { addApiKey } from "./key-registry.ts";

function parseExpiry(text: string | null | undefined): number | null {
  if (text === null || text === undefined) return null;
  const timeMs = parseIsoTime(text);
  if (timeMs === undefined) throw apiKeyExpiryInvalid();
  return timeMs;
}

/** API key as shown to the tenant's administrators. */
export interface ShownApiKey extends Omit<ApiKey, "secretHash"> {
  readonly deviceIds: readonly DeviceId[];
  readonly status: ApiKeyStatus;
  /** Name of the creator; empty if the key was created on the command line or the creator was deleted. */
  readonly createdByName: string;
  /** Secret; returned only once, because only its hash is stored. */
  readonly key?: string;
}

/** Creates the service through which administrators manage the credentials of programs. */
export function createApiKeysService(deps: {
  repository: ApiKeysRepository;
  authenticator: Pick<KeyAuthenticator, "statusOf" | "end">;
  users: Pick<UsersService, "findById">;
  transact: MainDatabase["transact"];
  clock: Pick<Clock, "now">;
}) {
  const { repository, authenticator, users } = deps;

  /** @throws DomainError `api_key.beyond_own_access` for a key that sees more than the caller, unless the caller created it */
  function ensureMayManage({ userId, devices }: Principal, apiKey: ApiKey): void {
    if (devices === "all" || apiKey.createdBy === userId) return;
    const { apiKeyId, hasGlobalDeviceAccess } = apiKey;
    const isBeyond = (id: DeviceId) => !devices.has(id);
    if (hasGlobalDeviceAccess || repository.listDevices(apiKeyId).some(isBeyond))
      throw apiKeyBeyondOwnAccess();
  }

  function show({ devices }: Principal, apiKey: ApiKey): ShownApiKey {
    const shown = omit(apiKey, "secretHash");
    const isSeen = (id: DeviceId) => devices === "all" || devices.has(id);
    const creator = apiKey.createdBy === null ? undefined : users.findById(apiKey.createdBy);
    return {
      ...shown,
      deviceIds: apiKey.hasGlobalDeviceAccess ? [] : repository.listDevices(apiKey.apiKeyId).filter(isSeen),
      status: authenticator.statusOf(apiKey),
      createdByName: creator?.fullName ?? "",
    };
  }

  return {
    list: (principal: Principal): ShownApiKey[] =>
      repository.list(principal.tenantId).map((apiKey) => show(principal, apiKey)),
    get: (principal: Principal, apiKeyId: string): ShownApiKey =>
      show(principal, repository.get(principal.tenantId, apiKeyId)),
    create(principal: Principal, input: typeof apiKeyResource.$create): ShownApiKey {
      const expiresAt = parseExpiry(input.expiresAt);
      if (principal.impersonator !== undefined) throw apiKeyWhileActing(); // it would outlive the impersonation, and record only one of the two users
      if (ROLES.indexOf(input.role) < ROLES.indexOf(principal.role)) throw apiKeyRoleTooHigh();
      const { devices } = principal;
      const isBeyond = (id: string) => devices !== "all" && !devices.has(id as DeviceId); // an unknown id is nobody's
      if (input.deviceIds?.some(isBeyond) === true) throw apiKeyDeviceUnknown(); // hidden devices are treated as unknown
      const { tenantId, userId } = principal;
      const { apiKey, secret } = addApiKey(deps, { ...input, expiresAt, tenantId, createdBy: userId });
      return { ...show(principal, apiKey), key: secret };
    },
    update: (principal: Principal, apiKeyId: string, { name }: typeof apiKeyResource.$update): ShownApiKey =>
      deps.transact(() => {
        const apiKey = repository.get(principal.tenantId, apiKeyId);
        ensureMayManage(principal, apiKey);
        return show(principal, repository.update(apiKey, { name }));
      }),
    /** Deletes the key and ends everything that runs under it immediately. */
    delete(principal: Principal, apiKeyId: string): void {
      const apiKey = repository.get(principal.tenantId, apiKeyId);
      ensureMayManage(principal, apiKey);
      repository.delete(apiKey);
      authenticator.end(apiKeyId);
    },
  };
}

export type ApiKeysService = ReturnType<typeof createApiKeysService>;
