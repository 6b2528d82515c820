import { DAY_MS } from "../../lib/core/units.ts";
import { Port } from "../../platform/core/port.ts";
import { createOwnOrigin } from "../../platform/network/own-origin.ts";
import { publicAddressOf } from "../../platform/network/public-address.ts";
import { createSealedBox } from "../../platform/secrets/sealed-box.ts";
import { createMonotonicNow } from "../../platform/time/clock.ts";
import { refusalReporter } from "../api/report-refusal.ts";
import type { ApiKeysModule } from "../api-keys/api-keys.module.ts";
import type { AuditModule } from "../audit/audit.module.ts";
import type { MailModule } from "../mail/mail.module.ts";
import type { Core } from "../module.types.ts";
import type { TenantsModule } from "../tenants/tenants.module.ts";
import { createUserManagementModule } from "../users/user-management.module.ts";
import type { UsersModule } from "../users/users.module.ts";
import { accountRoutes } from "./account.routes.ts";
import { createAccountService } from "./account.service.ts";
import { createAuthenticator } from "./authenticator.ts";
import { createEmailChangeService } from "./email-change.service.ts";
import { createAccessTokens, createAuthPlugin } from "./identity.plugin.ts";
import { authRoutes, impersonationRoutes, setupRoutes } from "./identity.routes.ts";
import { createIdentityService } from "./identity.service.ts";
import { createOnboardingService } from "./onboarding.service.ts";
import { emailChangePages, emailChangeRoute } from "./provider/email-change.routes.ts";
import {
  createExternalProvider,
  type ExternalPerson,
  readExternalSettings,
} from "./provider/external-provider.ts";
import { type Admission, createExternalSignIn } from "./provider/external-sign-in.ts";
import { createIdentityProvider } from "./provider/identity-provider.ts";
import type { PasswordHasher } from "./provider/password.ts";
import { createProviderRepository } from "./provider/provider.repository.ts";
import { providerRoutes } from "./provider/provider.routes.ts";
import { recoveryRoutes } from "./provider/recovery.routes.ts";
import { createThrottleRepository } from "./provider/throttle.repository.ts";
import { Throttle } from "./provider/throttle.ts";
import { reportingExternal, reportingRefusals } from "./refused-sign-ins.ts";
import { createRequestAudit } from "./request-audit.ts";
import { createSessionsRepository } from "./sessions.repository.ts";
import { createSessionsService } from "./sessions.service.ts";
import { createSetupService } from "./setup.service.ts";
import { createSignInAudit, recordingAddresses } from "./sign-in-audit.ts";
import { createSignUpRepository } from "./sign-up.repository.ts";
import { signUpRoutes } from "./sign-up.routes.ts";
import { createSignUpService } from "./sign-up.service.ts";
import { createUserMailLimit } from "./user-mail-limit.ts";

interface IdentityModules {
  readonly tenants: TenantsModule;
  readonly users: UsersModule;
  readonly audit: AuditModule;
  readonly mail: MailModule;
  readonly apiKeys: ApiKeysModule;
  readonly hasher?: PasswordHasher | undefined;
}

/** Creates the embedded identity provider and the sessions, with reporting and auditing of their use. */
function createSignIn(
  { config, database, identityDatabase, clock, events }: Core,
  { users: { users }, audit: { audit }, hasher }: IdentityModules,
  now: () => number,
) {
  const sessionsRepository = createSessionsRepository(database);
  const signIns = createSignInAudit(audit, users);
  const sessions = signIns.ofSessions(
    createSessionsService({
      repository: sessionsRepository,
      events,
      lifetimeMsMax: config.session_days_max * DAY_MS,
      now,
    }),
  );
  const throttle = new Throttle({ repository: createThrottleRepository(identityDatabase), now });
  const embedded = createIdentityProvider({
    hasher,
    repository: createProviderRepository(identityDatabase),
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
  const report = refusalReporter(events);
  const provider = reportingRefusals(signIns.ofProvider(embedded), { users, report });
  return { provider, sessions, signIns, throttle, sessionsRepository, report };
}

/** Creates sign-up, and the onboarding that creates a user's first site. */
function createSignUp(
  { config, database: { transact }, database }: Pick<Core, "config" | "database">,
  { users: { users }, tenants: { tenants, plans }, mail: { mail } }: IdentityModules,
  deps: {
    readonly provider: ReturnType<typeof createSignIn>["provider"];
    readonly throttle: Throttle;
    readonly setup: Pick<ReturnType<typeof createSetupService>, "isRequired">;
    readonly managing: ReturnType<typeof createUserManagementModule>;
    readonly tokenKey: Uint8Array;
    readonly now: () => number;
  },
) {
  const { provider, throttle, setup, managing, tokenKey, now } = deps;
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
    codeKey: tokenKey,
    now,
  });
  const onboarding = createOnboardingService({
    repository: signUps,
    signUp,
    users,
    changeUser: (userId, changes) => void managing.registry.change(userId, () => changes),
    tenants,
    plans,
    transact,
  });
  return { signUp, onboarding };
}

/** Creates the sign-in by an external provider; undefined unless configured. */
function createExternal(
  { config, log }: Pick<Core, "config" | "log">,
  deps: {
    readonly users: UsersModule["users"];
    readonly signUp: ReturnType<typeof createSignUpService>;
    readonly provider: ReturnType<typeof createSignIn>["provider"];
    readonly tokenKey: Uint8Array;
    readonly now: () => number;
  },
) {
  const { users, signUp, provider, tokenKey, now } = deps;
  const settings = readExternalSettings(config);
  /** Admits a user whose address an external provider has confirmed; new users are signed up if sign-up is open. */
  function admit({ email, fullName }: ExternalPerson): Admission {
    const user = users.findByEmail(email);
    if (user !== undefined) return user.status === "ACTIVE" ? "admitted" : "disabled";
    if (!signUp.isOpen()) return "unknown";
    users.create({ tenantId: null, email, fullName, role: "TENANT_OWNER" });
    return "admitted";
  }
  return (
    settings &&
    createExternalSignIn({
      external: createExternalProvider(settings, { now, log: log }),
      flow: provider,
      box: createSealedBox(tokenKey, "external sign-in"),
      admit,
      originFor: (url) => publicAddressOf(config) ?? new URL(url).origin,
      now,
    })
  );
}

/** Creates users and their sign-in: sessions, the identity provider, setup, sign-up, accounts and user management. */
export function createIdentityModule(core: Core, modules: IdentityModules) {
  const { tenants, plans, branding } = modules.tenants;
  const { users, usersRepository } = modules.users;
  const { audit } = modules.audit;
  const { mail } = modules.mail;
  const { keys } = modules.apiKeys;
  const { config, data, database, clock, ports } = core;
  const { transact, changes } = database;
  const now = createMonotonicNow(clock);
  /** Key that signs the access tokens. */
  const tokenKey = data.secret("jwt.key", 32);
  const mailOriginFor = createOwnOrigin(config, ports);
  const { provider, sessions, signIns, throttle, sessionsRepository, report } = createSignIn(
    core,
    modules,
    now,
  );
  const managing = createUserManagementModule(core, {
    usersRepository,
    tenants,
    plans,
    accounts: provider,
    endSessions: (userId) => sessions.endAll(userId),
    mail,
    takeUserMails: createUserMailLimit(throttle),
    mailOriginFor,
  });
  const setup = signIns.ofSetup(
    createSetupService({ provider, users, tenants, sessions: sessionsRepository, transact, now }),
  );
  const { signUp, onboarding } = createSignUp(core, modules, {
    provider,
    throttle,
    setup,
    managing,
    tokenKey,
    now,
  });
  const external = createExternal(core, { users, signUp, provider, tokenKey, now });
  const tokens = createAccessTokens(tokenKey, now);
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
  const emailChange = createEmailChangeService({
    provider,
    users,
    throttle,
    mail,
    box: createSealedBox(tokenKey, "e-mail change"),
    changeAddress: recordingAddresses(audit, users)(managing.changeAddress),
  });
  const authenticator = createAuthenticator({ keys, identity, tokens, users, changes, clock, report });
  const requestAudit = createRequestAudit(audit);
  const roomForChange = new Port<(bytes: number) => void>("identity.roomForChange");
  const auth = createAuthPlugin(authenticator, requestAudit, {
    responses: core.responses,
    bodySpace: core.bodySpace,
    ensureRoom: (bytes) => roomForChange.call(bytes),
  });
  return {
    roomForChange,
    users,
    provider,
    setup,
    sessions,
    account,
    identity,
    authenticator,
    requestAudit,
    auth,
    routes: () => [
      authRoutes({ identity, auth }),
      accountRoutes({ account, auth }),
      impersonationRoutes({ identity, auth }),
      setupRoutes({ setup, report }),
      signUpRoutes({ signUp, onboarding, identity, mailOriginFor, auth }),
      providerRoutes({
        provider,
        setupRequired: () => setup.isRequired(),
        signUpOpen: () => signUp.isOpen(),
        external: external && reportingExternal(external, { users, report }),
        appearance: branding.appearance,
      }),
      emailChangeRoute({ emailChange, mailOriginFor, auth }),
      emailChangePages({ emailChange, report, appearance: branding.appearance }),
      ...recoveryRoutes({ account, mail, mailOriginFor, report, appearance: branding.appearance }),
      ...managing.routes(auth),
    ],
  };
}

export type IdentityModule = ReturnType<typeof createIdentityModule>;
