import type { DeviceId, TenantId, UserId } from "../../lib/ids.ts";
import type { Clock } from "../../platform/clock.ts";
import type { EventBus } from "../../platform/event-bus.ts";
import { sha256 } from "../../platform/ids.ts";
import type { Logger } from "../../platform/log.ts";
import { createPeriodic } from "../../platform/periodic.ts";
import type { DomainEvents } from "../events.types.ts";
import type { RefusedCredential } from "../refusals/refusals.types.ts";
import type { UsersService } from "../users/users.service.ts";
import { type Principal, type Role, roles, type User } from "../users/users.types.ts";
import type { ApiKeysRepository } from "./api-keys.repository.ts";
import type { ApiKey, ApiKeyStatus } from "./api-keys.types.ts";
import { isKeyFormat, isWellFormedKey } from "./key-secret.ts";

/** The last use is written at most this often a key. */
const LAST_USE_INTERVAL_MS = 60_000;

interface Use {
  readonly tenantId: TenantId;
  readonly createdBy: UserId | null;
  /** Epoch ms of the newest use, and of what was written of it. */
  usedAt: number;
  savedAt: number;
  isEnded: boolean;
  /** Devices of a key with devices of its own, by what its creator sees. */
  visible: { readonly ofCreator: Principal["devices"]; readonly devices: Principal["devices"] } | undefined;
}

const administrators: readonly Role[] = ["TENANT_OWNER", "TENANT_ADMIN"];
const nothing: ReadonlySet<DeviceId> = new Set();

/**
 * Turns API keys into principals; a request costs two look-ups and writes nothing. A key acts within what its creator may do
 * now: it stops with a creator who is disabled or deleted, and a lesser role or access of the creator is the key's too.
 */
export function createKeyAuthenticator(deps: {
  repository: ApiKeysRepository;
  users: Pick<UsersService, "findById" | "visibleDevices">;
  clock: Clock;
  events: EventBus<DomainEvents>;
  log: Logger;
}) {
  const { repository, users, clock, events } = deps;
  /** Keys in use, by their id. */
  const inUse = new Map<string, Use>();

  // A date that a person chose is judged by the wall clock.
  const isExpired = ({ expiresAt }: ApiKey) => expiresAt !== null && expiresAt <= clock.now();

  /** Returns `null` if there is none to ask. Undefined: who made it is disabled, or gone. */
  function creatorOf({ createdBy, tenantId }: ApiKey): User | null | undefined {
    if (createdBy === null) return null;
    const user = users.findById(createdBy);
    return user?.status === "ACTIVE" && user.tenantId === tenantId ? user : undefined;
  }

  function devicesOf(apiKey: ApiKey, use: Use): Principal["devices"] {
    if (use.isEnded) return nothing;
    const ofCreator = apiKey.createdBy === null ? "all" : users.visibleDevices(apiKey.createdBy);
    if (apiKey.hasGlobalDeviceAccess) return ofCreator;
    if (use.visible?.ofCreator === ofCreator) return use.visible.devices;
    const own = repository.listDevices(apiKey.apiKeyId);
    const devices = new Set(ofCreator === "all" ? own : own.filter((deviceId) => ofCreator.has(deviceId)));
    use.visible = { ofCreator, devices };
    return devices;
  }

  function useOf({ apiKeyId, tenantId, createdBy, lastUsedAt }: ApiKey): Use {
    const existingUse = inUse.get(apiKeyId);
    const use = existingUse ?? {
      tenantId,
      createdBy,
      usedAt: 0,
      savedAt: lastUsedAt ?? 0,
      isEnded: false,
      visible: undefined,
    };
    use.usedAt = clock.now();
    if (existingUse === undefined) inUse.set(apiKeyId, use);
    return use;
  }

  function end(apiKeyId: string): void {
    const use = inUse.get(apiKeyId);
    if (use === undefined) return;
    use.isEnded = true;
    inUse.delete(apiKeyId);
    events.emit("session.ended", { sessionId: apiKeyId });
  }

  events.on("user.signed-out", ({ userId }) => {
    for (const [apiKeyId, { createdBy }] of [...inUse]) if (createdBy === userId) end(apiKeyId);
  });

  events.on("tenant.deleted", ({ tenantId }) => {
    for (const [apiKeyId, use] of [...inUse]) if (use.tenantId === tenantId) end(apiKeyId);
  });

  function saveLastUses(intervalMs: number): void {
    for (const [apiKeyId, use] of inUse) {
      if (use.usedAt === use.savedAt || Math.abs(clock.now() - use.savedAt) < intervalMs) continue;
      repository.saveLastUse(apiKeyId, use.usedAt);
      use.savedAt = use.usedAt;
    }
  }

  const saving = createPeriodic({
    clock,
    log: deps.log,
    intervalMs: LAST_USE_INTERVAL_MS,
    work: () => saveLastUses(LAST_USE_INTERVAL_MS),
  });

  return {
    /** Returns whether a bearer credential is an API key, good or not. */
    isKey: isKeyFormat,
    start: saving.start,
    stop(): void {
      saving.stop();
      saveLastUses(0);
    },
    statusOf(apiKey: ApiKey): ApiKeyStatus {
      if (isExpired(apiKey)) return "EXPIRED";
      return creatorOf(apiKey) === undefined ? "STOPPED" : "ACTIVE";
    },
    /** Holds what still runs under the key ends. */
    end,
    authenticate(secret: string): Principal | undefined {
      if (!isWellFormedKey(secret)) return undefined;
      const apiKey = repository.findBySecretHash(sha256(secret));
      if (apiKey === undefined || isExpired(apiKey)) return undefined;
      const creator = creatorOf(apiKey);
      if (creator === undefined) return undefined;
      const { apiKeyId, name, tenantId, createdBy } = apiKey;
      const use = useOf(apiKey);
      const rank = Math.max(roles.indexOf(apiKey.role), roles.indexOf(creator?.role ?? "TENANT_OWNER"));
      const role = roles[rank] ?? "TENANT_READ_ONLY";
      const creatorMayAcknowledge =
        creator === null || creator.canAcknowledgeAlarms || administrators.includes(creator.role);
      return {
        userId: apiKeyId as UserId, // no user's: a key is its own actor
        email: `api-key:${name}`,
        tenantId,
        role,
        sessionId: apiKeyId,
        canAcknowledgeAlarms: role !== "TENANT_READ_ONLY" && creatorMayAcknowledge,
        get devices() {
          return devicesOf(apiKey, use); // what a stream may show changes while it runs
        },
        apiKey: { apiKeyId, name, createdBy },
      };
    },
  };
}

export type KeyAuthenticator = ReturnType<typeof createKeyAuthenticator> & {
  /** Says why a key was refused. */
  refusalOf(secret: string): RefusedCredential;
};
