import { createApiKeysRepository } from "../modules/api-keys/api-keys.repository.ts";
import { createApiKeysService } from "../modules/api-keys/api-keys.service.ts";
import { createKeyAuthenticator } from "../modules/api-keys/key-authenticator.ts";
import { looksLikeKey } from "../modules/api-keys/key-secret.ts";
import { createAuditRepository } from "../modules/audit/audit.repository.ts";
import { createAuditService } from "../modules/audit/audit.service.ts";
import type { DomainEvents } from "../modules/events.types.ts";
import { createAccountService } from "../modules/identity/account.service.ts";
import { createAccessTokens, createAuthPlugin } from "../modules/identity/identity.plugin.ts";
import { createIdentityService } from "../modules/identity/identity.service.ts";
import type { Authenticator } from "../modules/identity/identity.types.ts";
import { createOnboardingService } from "../modules/identity/onboarding.service.ts";
import {
  createExternalProvider,
  type ExternalPerson,
  readExternalSettings,
} from "../modules/identity/provider/external-provider.ts";
import { type Admission, createExternalSignIn } from "../modules/identity/provider/external-sign-in.ts";
import { createIdentityProvider } from "../modules/identity/provider/identity-provider.ts";
import { createProviderRepository } from "../modules/identity/provider/provider.repository.ts";
import { createThrottleRepository } from "../modules/identity/provider/throttle.repository.ts";
import { createThrottle } from "../modules/identity/provider/throttle.ts";
import { createRequestAudit } from "../modules/identity/request-audit.ts";
import { createSessionsRepository } from "../modules/identity/sessions.repository.ts";
import { createSessionsService } from "../modules/identity/sessions.service.ts";
import { createSetupService } from "../modules/identity/setup.service.ts";
import { createSignInAudit } from "../modules/identity/sign-in-audit.ts";
import { createSignUpRepository } from "../modules/identity/sign-up.repository.ts";
import { createSignUpService } from "../modules/identity/sign-up.service.ts";
import type { MailService } from "../modules/mail/mail.service.ts";
import { createBrandingService } from "../modules/tenants/branding.service.ts";
import { createPlansService } from "../modules/tenants/plans.service.ts";
import { createQuotasService } from "../modules/tenants/quotas.service.ts";
import { createTenantAttributesRepository } from "../modules/tenants/tenant-attributes.repository.ts";
import { createTenantAttributesService } from "../modules/tenants/tenant-attributes.service.ts";
import { createTenantsRepository } from "../modules/tenants/tenants.repository.ts";
import { createTenantsService } from "../modules/tenants/tenants.service.ts";
import type { Tenant } from "../modules/tenants/tenants.types.ts";
import { createUserManagement } from "../modules/users/user-management.service.ts";
import { createUserRegistry } from "../modules/users/user-registry.ts";
import { createUsersRepository } from "../modules/users/users.repository.ts";
import { createUsersService } from "../modules/users/users.service.ts";
import { type Clock, createSteadyNow } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import type { MainDatabase } from "../platform/database.ts";
import type { EventBus } from "../platform/event-bus.ts";
import type { Logger } from "../platform/log.ts";
import { createSealedBox } from "../platform/sealed-box.ts";
import { createInvitationLimit } from "./invitation-limit.ts";

const DAY_MS = 86_400_000;

/** Wires what stands between a person and the data: tenants, users, identity and its provider. */
export function createPeople(deps: {
  config: Config;
  database: MainDatabase;
  identityDatabase: MainDatabase;
  /** Signs the access tokens. */
  tokenKey: Uint8Array;
  clock: Clock;
  events: EventBus<DomainEvents>;
  log: Logger;
  mail: MailService;
  onTenantCreated: (tenant: Tenant) => void;
}) {
  const { config, database, clock, events, mail } = deps;
  const { transact } = database;
  const now = createSteadyNow(clock);
  const plans = createPlansService(config.plans, config.signup_plans);
  const tenants = createTenantsService({
    repository: createTenantsRepository(database),
    clock,
    events,
    onCreated: deps.onTenantCreated,
  });
  const quotas = createQuotasService({ tenants, plans, settings: config, clock });
  const audit = createAuditService({
    repository: createAuditRepository(database),
    durable: database.durable,
    days: config.audit_days,
    limitOf: (tenantId) => quotas.of(tenantId).auditEntries,
    clock,
    log: deps.log.child("audit"),
  });
  const tenantAttributes = createTenantAttributesService({
    repository: createTenantAttributesRepository(database),
    tenants,
    plans,
    now: () => clock.now(),
  });
  const branding = createBrandingService({ attributes: tenantAttributes, tenants, plans });
  const usersRepository = createUsersRepository(database);
  const users = createUsersService({ repository: usersRepository, clock, events });
  const sessionsRepository = createSessionsRepository(database);
  const signIns = createSignInAudit(audit, users);
  const sessions = signIns.ofSessions(
    createSessionsService({
      repository: sessionsRepository,
      events,
      lifeMsMax: deps.config.session_days_max * DAY_MS,
      now,
    }),
  );
  const throttle = createThrottle({ repository: createThrottleRepository(deps.identityDatabase), now });
  const embedded = createIdentityProvider({
    repository: createProviderRepository(deps.identityDatabase),
    throttle,
    onPasswordChanged(email) {
      const user = users.findByEmail(email);
      if (user === undefined) return;
      signIns.passwordChanged(user);
      sessions.endAll(user.userId);
    },
    now,
    wallNow: () => clock.now(),
  });
  const provider = signIns.ofProvider(embedded);
  const registry = createUserRegistry({
    repository: usersRepository,
    tenants,
    plans,
    accounts: provider,
    endSessions: (userId) => sessions.endAll(userId),
    transact,
    clock,
    events,
  });
  const management = createUserManagement({
    repository: usersRepository,
    registry,
    tenants,
    accounts: provider,
    endSessions: (userId) => sessions.endAll(userId),
    mail,
    takeInvitationMail: createInvitationLimit(throttle),
  });
  const settings = readExternalSettings(config);
  const setup = signIns.ofSetup(
    createSetupService({ provider, users, tenants, sessions: sessionsRepository, transact, now }),
  );
  const signUps = createSignUpRepository(database);
  const signUp = createSignUpService({
    repository: signUps,
    users,
    passwords: provider.signUpPasswords,
    plans,
    throttle,
    mail,
    transact,
    isOpen: () => config.signup === "open" && !setup.isRequired(),
    codeKey: deps.tokenKey,
    now,
  });
  /** Of somebody whose address an external provider vouches for; strangers sign up that way where it is open. */
  function admit({ email, fullName }: ExternalPerson): Admission {
    const user = users.findByEmail(email);
    if (user !== undefined) return user.status === "ACTIVE" ? "admitted" : "disabled";
    if (!signUp.isOpen()) return "unknown";
    users.create({ tenantId: null, email, fullName, role: "TENANT_OWNER" });
    return "admitted";
  }
  const external =
    settings &&
    createExternalSignIn({
      external: createExternalProvider(settings, { now, log: deps.log }),
      flow: provider,
      box: createSealedBox(deps.tokenKey, "external sign-in"),
      admit,
      originFor: (url) => new URL(config.public_url ?? url).origin,
      now,
    });
  const onboarding = createOnboardingService({
    repository: signUps,
    signUp,
    users,
    changeUser: (userId, changes) => void registry.change(userId, () => changes),
    tenants,
    plans,
    transact,
  });
  const tokens = createAccessTokens(deps.tokenKey, now);
  const identity = createIdentityService({ provider, users, tenants, sessions, tokens });
  const account = createAccountService({
    provider,
    users,
    sessions,
    throttle,
    mail,
    now,
    wallNow: () => clock.now(),
  });
  const apiKeysRepository = createApiKeysRepository(database);
  const keys = createKeyAuthenticator({ repository: apiKeysRepository, users, clock, events, log: deps.log });
  const apiKeys = createApiKeysService({
    repository: apiKeysRepository,
    authenticator: keys,
    users,
    transact,
    clock,
  });
  /** Both kinds of bearer credential: access tokens of people, and API keys. */
  const authenticator: Authenticator = {
    authenticate: async (credential) =>
      looksLikeKey(credential) ? keys.authenticate(credential) : identity.authenticate(credential),
  };
  const requestAudit = createRequestAudit(audit);
  return {
    keys,
    apiKeys,
    authenticator,
    mail,
    audit,
    requestAudit,
    plans,
    quotas,
    tenants,
    tenantAttributes,
    branding,
    users,
    management,
    provider,
    setup,
    signUp,
    onboarding,
    external,
    account,
    sessions,
    identity,
    auth: createAuthPlugin(authenticator, requestAudit),
  };
}

export type People = ReturnType<typeof createPeople>;
