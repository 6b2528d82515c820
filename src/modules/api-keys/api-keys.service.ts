import type { DeviceId } from "../../lib/ids.ts";
import type { Clock } from "../../platform/clock.ts";
import type { UsersService } from "../users/users.service.ts";
import { type Principal, type Role, roles } from "../users/users.types.ts";
import {
  apiKeyBeyondOwnAccess,
  apiKeyDeviceUnknown,
  apiKeyNameTaken,
  apiKeyNotFound,
  apiKeyRoleTooHigh,
  apiKeyWhileActing,
} from "./api-keys.errors.ts";
import type { ApiKeysRepository } from "./api-keys.repository.ts";
import type { ApiKey, ApiKeyDetail } from "./api-keys.types.ts";
import type { KeyAuthenticator } from "./key-authenticator.ts";
import { addApiKey } from "./key-registry.ts";

/** Credentials of programs, as the administrators of a tenant manage them. */
export function createApiKeysService(deps: {
  repository: ApiKeysRepository;
  authenticator: Pick<KeyAuthenticator, "statusOf" | "end">;
  users: Pick<UsersService, "findById">;
  transact: (work: () => void) => void;
  clock: Pick<Clock, "now">;
}) {
  const { repository, authenticator, users } = deps;

  function ensureKey({ tenantId }: Principal, apiKeyId: string): ApiKey {
    const apiKey = repository.findById(apiKeyId);
    if (apiKey?.tenantId !== tenantId) throw apiKeyNotFound();
    return apiKey;
  }

  /** @throws DomainError `api_key.beyond_own_access` for a key that sees more than the caller, unless the caller made it. */
  function ensureMayManage({ userId, devices }: Principal, apiKey: ApiKey): void {
    if (devices === "all" || apiKey.createdBy === userId) return;
    const { apiKeyId, hasGlobalDeviceAccess } = apiKey;
    const isBeyond = (id: DeviceId) => !devices.has(id);
    if (hasGlobalDeviceAccess || repository.listDevices(apiKeyId).some(isBeyond))
      throw apiKeyBeyondOwnAccess();
  }

  function detailOf({ devices }: Principal, apiKey: ApiKey): ApiKeyDetail {
    const isSeen = (id: DeviceId) => devices === "all" || devices.has(id);
    const creator = apiKey.createdBy === null ? undefined : users.findById(apiKey.createdBy);
    return {
      ...apiKey,
      deviceIds: apiKey.hasGlobalDeviceAccess ? [] : repository.listDevices(apiKey.apiKeyId).filter(isSeen),
      status: authenticator.statusOf(apiKey),
      createdByName: creator?.fullName ?? "",
    };
  }

  return {
    list: (principal: Principal): ApiKeyDetail[] =>
      repository.list(principal.tenantId).map((apiKey) => detailOf(principal, apiKey)),
    /** The secret is given this once: only its hash is kept. */
    create(
      principal: Principal,
      input: {
        name: string;
        role: Role;
        deviceIds?: readonly string[] | undefined;
        /** Epoch ms. */
        expiresAt: number | null;
      },
    ): { apiKey: ApiKeyDetail; secret: string } {
      if (principal.impersonator !== undefined) throw apiKeyWhileActing(); // it would outlive the acting, and know of one of the two only
      if (roles.indexOf(input.role) < roles.indexOf(principal.role)) throw apiKeyRoleTooHigh();
      const { devices } = principal;
      const isBeyond = (id: string) => devices !== "all" && !devices.has(id as DeviceId); // an unknown id is nobody's
      if (input.deviceIds?.some(isBeyond) === true) throw apiKeyDeviceUnknown(); // what the caller does not see does not exist for the caller
      const { tenantId, userId } = principal;
      const { apiKey, secret } = addApiKey(deps, { ...input, tenantId, createdBy: userId });
      return { apiKey: detailOf(principal, apiKey), secret };
    },
    rename(principal: Principal, apiKeyId: string, name: string): ApiKeyDetail {
      deps.transact(() => {
        const apiKey = ensureKey(principal, apiKeyId);
        ensureMayManage(principal, apiKey);
        const { tenantId } = apiKey;
        const namesake = repository.findByName(tenantId, name);
        if (namesake !== undefined && namesake.apiKeyId !== apiKeyId) throw apiKeyNameTaken();
        repository.rename(apiKeyId, name);
      });
      return detailOf(principal, ensureKey(principal, apiKeyId));
    },
    /** Deletes the key. Everything that runs under it ends at once. */
    delete(principal: Principal, apiKeyId: string): void {
      ensureMayManage(principal, ensureKey(principal, apiKeyId));
      repository.delete(apiKeyId);
      authenticator.end(apiKeyId);
    },
  };
}

export type ApiKeysService = ReturnType<typeof createApiKeysService>;
