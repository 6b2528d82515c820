import type { DeviceId, TenantId, UserId } from "../../lib/core/ids.ts";
import { secretHint, shownName } from "../../lib/strings/secret-hint.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import { sha256 } from "../../platform/core/ids.ts";
import type { Logger } from "../../platform/core/log.ts";
import { ChangeCache } from "../../platform/load/change-cache.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { createPeriodic } from "../../platform/time/periodic.ts";
import type { DomainEvents } from "../events.types.ts";
import type { RefusedCredential } from "../faults/refusals.types.ts";
import type { UsersService } from "../users/users.service.ts";
import { type Principal, ROLES, type Role, type User } from "../users/users.types.ts";
import type { ApiKeysRepository } from "./api-keys.repository.ts";
import type { ApiKey } from "./api-keys.resource.ts";
import type { ApiKeyStatus } from "./api-keys.types.ts";
import { hintOf, isKeyFormat, isWellFormedKey } from "./key-secret.ts";

/** Returns the reason why a key was refused. An existing key is named; otherwise its first characters are shown, as in lists of keys. */
function refusalOfKey(
  secret: string,
  repository: Pick<ApiKeysRepository, "findBySecretHash">,
  statusOf: (apiKey: ApiKey) => ApiKeyStatus,
): RefusedCredential {
  const isWhole = isWellFormedKey(secret);
  const apiKey = isWhole ? repository.findBySecretHash(sha256(secret)) : undefined;
  if (apiKey === undefined)
    return {
      reason: "key_wrong",
      identity: { kind: "api_key", name: isWhole ? hintOf(secret) : secretHint(secret) },
    };
  return {
    reason: statusOf(apiKey) === "EXPIRED" ? "key_expired" : "key_stopped",
    identity: { kind: "api_key", name: shownName(apiKey.name) },
    owner: { tenantId: apiKey.tenantId },
  };
}

/** Min. interval between writes of a key's last use. */
const LAST_USE_INTERVAL_MS = 60_000;

interface Use {
  readonly tenantId: TenantId;
  readonly createdBy: UserId | null;
  /** Epoch ms of the last use, and of the last stored use. */
  usedAt: number;
  savedAt: number;
  isEnded: boolean;
  /** Devices of a key with its own list, cached by its creator's visible devices. */
  visible: { readonly ofCreator: Principal["devices"]; readonly devices: Principal["devices"] } | undefined;
}

interface UsableKey {
  readonly apiKey: ApiKey;
  readonly creator: User | null;
}

const ADMINISTRATORS: readonly Role[] = ["TENANT_OWNER", "TENANT_ADMIN"];
const nothing: ReadonlySet<DeviceId> = new Set();

interface KeyAuthenticatorDeps {
  readonly repository: ApiKeysRepository;
  readonly users: Pick<UsersService, "findById" | "visibleDevices">;
  readonly clock: Clock;
  readonly events: EventBus<DomainEvents>;
  readonly log: Logger;
  /** Returns a value that changes with every change of the database. */
  readonly databaseState: () => string;
}

/**
 * Authenticates API keys; a request costs two look-ups after a change of the database, and writes nothing. A key is limited to its creator's current
 * rights: it stops working when the creator is disabled or deleted, and follows a reduced role or access.
 */
export class KeyAuthenticator {
  /** Returns whether a bearer credential has the form of an API key, valid or not. */
  readonly isKey = isKeyFormat;
  readonly #deps: KeyAuthenticatorDeps;
  /** Keys in use, by their id. */
  readonly #inUse = new Map<string, Use>();
  /** Usable keys by secret, which a program repeats with every request. */
  readonly #usable: ChangeCache<UsableKey>;
  readonly #saving: ReturnType<typeof createPeriodic>;

  constructor(deps: KeyAuthenticatorDeps) {
    this.#deps = deps;
    this.#usable = new ChangeCache(deps.databaseState);
    this.#saving = createPeriodic({
      clock: deps.clock,
      log: deps.log,
      intervalMs: LAST_USE_INTERVAL_MS,
      work: () => this.#saveLastUses(LAST_USE_INTERVAL_MS),
    });
  }

  /** Ends the uses of keys whose creator is disabled or changed, or whose tenant is deleted. The module calls it once. */
  subscribe(): void {
    const { events } = this.#deps;
    events.on("user.signed-out", ({ userId }) => this.#endWhere((use) => use.createdBy === userId));
    events.on("tenant.deleted", ({ tenantId }) => this.#endWhere((use) => use.tenantId === tenantId));
  }

  start(): void {
    this.#saving.start();
  }

  stop(): void {
    this.#saving.stop();
    this.#saveLastUses(0);
  }

  /** Returns the reason why a key was refused. */
  refusalOf(secret: string): RefusedCredential {
    return refusalOfKey(secret, this.#deps.repository, (apiKey) => this.statusOf(apiKey));
  }

  statusOf(apiKey: ApiKey): ApiKeyStatus {
    if (this.#isExpired(apiKey)) return "EXPIRED";
    return this.#creatorOf(apiKey) === undefined ? "STOPPED" : "ACTIVE";
  }

  /** Ends everything that still runs under the key, including sessions from before the last start. */
  end(apiKeyId: string): void {
    const use = this.#inUse.get(apiKeyId);
    if (use !== undefined) use.isEnded = true;
    this.#inUse.delete(apiKeyId);
    this.#deps.events.emit("session.ended", { sessionId: apiKeyId });
  }

  authenticate(secret: string): Principal | undefined {
    const usable = this.#usable.get(secret, (asked) => this.#findUsable(asked));
    if (usable === undefined || this.#isExpired(usable.apiKey)) return undefined;
    return this.#principalOf(usable.apiKey, usable.creator);
  }

  /** Returns a key whose creator may use it, expired or not. */
  #findUsable(secret: string): UsableKey | undefined {
    const apiKey = isWellFormedKey(secret)
      ? this.#deps.repository.findBySecretHash(sha256(secret))
      : undefined;
    const creator = apiKey && this.#creatorOf(apiKey);
    return apiKey === undefined || creator === undefined ? undefined : { apiKey, creator };
  }

  #principalOf(apiKey: ApiKey, creator: User | null): Principal {
    const { apiKeyId, name, tenantId, createdBy } = apiKey;
    const use = this.#useOf(apiKey);
    const devicesOf = () => this.#devicesOf(apiKey, use);
    const rank = Math.max(ROLES.indexOf(apiKey.role), ROLES.indexOf(creator?.role ?? "TENANT_OWNER"));
    const role = ROLES[rank] ?? "TENANT_READ_ONLY";
    const creatorMayAcknowledge =
      creator === null || creator.canAcknowledgeAlarms || ADMINISTRATORS.includes(creator.role);
    return {
      userId: apiKeyId as UserId, // not a user: the key itself is the actor
      email: `api-key:${name}`,
      tenantId,
      role,
      sessionId: apiKeyId,
      canAcknowledgeAlarms: role !== "TENANT_READ_ONLY" && creatorMayAcknowledge,
      get devices() {
        return devicesOf(); // what a stream may show changes while it runs
      },
      apiKey: { apiKeyId, name, createdBy },
    };
  }

  /** Returns whether the key is expired; a date chosen by a user is compared to the wall clock. */
  #isExpired({ expiresAt }: ApiKey): boolean {
    return expiresAt !== null && expiresAt <= this.#deps.clock.now();
  }

  /** Returns `null` if the key has no creator, and `undefined` if the creator is disabled or deleted. */
  #creatorOf({ createdBy, tenantId }: ApiKey): User | null | undefined {
    if (createdBy === null) return null;
    const user = this.#deps.users.findById(createdBy);
    return user?.status === "ACTIVE" && user.tenantId === tenantId ? user : undefined;
  }

  #devicesOf(apiKey: ApiKey, use: Use): Principal["devices"] {
    const { repository, users } = this.#deps;
    if (use.isEnded) return nothing;
    const ofCreator = apiKey.createdBy === null ? "all" : users.visibleDevices(apiKey.createdBy);
    if (apiKey.hasGlobalDeviceAccess) return ofCreator;
    if (use.visible?.ofCreator === ofCreator) return use.visible.devices;
    const own = repository.listDevices(apiKey.apiKeyId);
    const devices = new Set(ofCreator === "all" ? own : own.filter((deviceId) => ofCreator.has(deviceId)));
    use.visible = { ofCreator, devices };
    return devices;
  }

  #useOf({ apiKeyId, tenantId, createdBy, lastUsedAt }: ApiKey): Use {
    const existingUse = this.#inUse.get(apiKeyId);
    const use = existingUse ?? {
      tenantId,
      createdBy,
      usedAt: 0,
      savedAt: lastUsedAt ?? 0,
      isEnded: false,
      visible: undefined,
    };
    use.usedAt = this.#deps.clock.now();
    if (existingUse === undefined) this.#inUse.set(apiKeyId, use);
    return use;
  }

  #endWhere(matches: (use: Use) => boolean): void {
    for (const [apiKeyId, use] of [...this.#inUse]) if (matches(use)) this.end(apiKeyId);
  }

  #saveLastUses(intervalMs: number): void {
    const { repository, clock } = this.#deps;
    for (const [apiKeyId, use] of this.#inUse) {
      if (use.usedAt === use.savedAt || Math.abs(clock.now() - use.savedAt) < intervalMs) continue;
      repository.saveLastUse(apiKeyId, use.usedAt);
      use.savedAt = use.usedAt;
    }
  }
}
