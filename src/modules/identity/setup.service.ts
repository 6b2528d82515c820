import { conflict, notFound } from "../../lib/core/domain-error.ts";
import { randomToken, sha256 } from "../../platform/core/ids.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import type { UsersService } from "../users/users.service.ts";
import type { IdentityProvider } from "./provider/identity-provider.ts";
import type { SessionsRepository } from "./sessions.repository.ts";

const LINK_LIFETIME_MS = 30 * 60_000;
/** Plan of a gateway's own site: all features, unlimited. */
const OWNER_PLAN = "onprem";

export interface Owner {
  readonly email: string;
  readonly password: string;
  readonly fullName: string;
  readonly tenantName: string;
}

/** Stores a new link and returns its secret; earlier links become invalid. */
export function createLinkSecret(deps: {
  sessions: SessionsRepository;
  transact: (work: () => void) => void;
  /** Returns epoch ms. */
  now: () => number;
}): string {
  const secret = randomToken(24);
  deps.transact(() => {
    deps.sessions.deleteSetupLinks();
    deps.sessions.insertSetupLink(sha256(secret), deps.now() + LINK_LIFETIME_MS);
  });
  return secret;
}

/** Creates the setup links of a gateway without users. */
function createSetupLinks(deps: Parameters<typeof createLinkSecret>[0] & { users: UsersService }) {
  const { sessions, users, now } = deps;
  function ensure(secret: string): { expiresAt: number } {
    const link = sessions.findSetupLink(sha256(secret), now());
    if (link === undefined || users.count() > 0) throw notFound("setup.link_invalid");
    return link;
  }
  let isReserved = false;
  return {
    /** @throws DomainError `not_found` for an unknown, used or expired link */
    ensure,
    /** Keeps a link in use from expiring. @throws DomainError `not_found` like `ensure` */
    prolong(secret: string): void {
      const { expiresAt } = ensure(secret);
      if (expiresAt - now() < LINK_LIFETIME_MS / 2)
        sessions.prolongSetupLink(sha256(secret), now() + LINK_LIFETIME_MS);
    },
    /** Prevents the creation of an owner until the returned function is called. @throws DomainError `not_found` like `ensure` */
    reserve(secret: string): () => void {
      ensure(secret);
      isReserved = true;
      return () => {
        isReserved = false;
      };
    },
    /** @throws DomainError `conflict` while a restoration has reserved the setup */
    ensureFree(): void {
      if (isReserved) throw conflict("backup.restoring");
    },
  };
}

/** Creates the first-start setup: through a single-use link, or from the configuration. */
export function createSetupService(deps: {
  provider: IdentityProvider;
  users: UsersService;
  tenants: TenantsService;
  sessions: SessionsRepository;
  transact: (work: () => void) => void;
  /** Returns monotonic epoch ms, so that setting the clock ends no link. */
  now: () => number;
}) {
  const { provider, users, tenants, sessions } = deps;
  const links = createSetupLinks(deps);

  /** Serializes setups: a simultaneous second one must not leave an account, or replace the first one's password. */
  let turn: Promise<unknown> = Promise.resolve();
  function createOwner(owner: Owner, check: () => void): Promise<void> {
    const mine = turn.then(() => createOwnerNow(owner, check));
    turn = mine.catch(() => undefined);
    return mine;
  }

  async function createOwnerNow(owner: Owner, check: () => void): Promise<void> {
    const ensureAllowed = () => {
      links.ensureFree();
      check();
    };
    ensureAllowed();
    await provider.saveAccount(owner.email, owner.password);
    deps.transact(() => {
      ensureAllowed(); // the command line may have created a new link meanwhile
      sessions.deleteSetupLinks();
      const tenant = tenants.create(owner.tenantName, OWNER_PLAN, { isHost: true });
      users.create({
        tenantId: tenant.tenantId,
        email: owner.email,
        fullName: owner.fullName,
        role: "TENANT_OWNER",
        status: "ACTIVE",
        canAcknowledgeAlarms: true,
        hasGlobalDeviceAccess: true,
        // The owner operates the gateway, and must get its alarms even before the first sign-in.
        confirmedAt: deps.now(),
      });
    });
  }

  return {
    isRequired: (): boolean => users.count() === 0,
    /** Returns the secret of a new link; earlier links become invalid. */
    createLink: (): string => createLinkSecret(deps),
    /** @throws DomainError `not_found` for an unknown, used or expired link */
    getLink: (secret: string): { valid: true; expiresAt: string } => ({
      valid: true,
      expiresAt: new Date(links.ensure(secret).expiresAt).toISOString(),
    }),
    prolongLink: links.prolong,
    reserve: links.reserve,
    complete: (secret: string, owner: Owner): Promise<void> => createOwner(owner, () => links.ensure(secret)),
    async createOwner(owner: Owner): Promise<void> {
      await createOwner(owner, () => {
        if (users.count() > 0) throw conflict("setup.done");
      });
    },
  };
}

export type SetupService = ReturnType<typeof createSetupService>;
