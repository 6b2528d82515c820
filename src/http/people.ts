import { Elysia } from "elysia";
import type { TenantId } from "../lib/ids.ts";
import { apiKeysRoutes } from "../modules/api-keys/api-keys.routes.ts";
import type { ApiKeysService } from "../modules/api-keys/api-keys.service.ts";
import { auditRoutes } from "../modules/audit/audit.routes.ts";
import type { AuditService } from "../modules/audit/audit.service.ts";
import { accountRoutes } from "../modules/identity/account.routes.ts";
import type { AccountService } from "../modules/identity/account.service.ts";
import type { AuthPlugin } from "../modules/identity/identity.plugin.ts";
import { authRoutes, impersonationRoutes, setupRoutes } from "../modules/identity/identity.routes.ts";
import type { IdentityService } from "../modules/identity/identity.service.ts";
import type { OnboardingService } from "../modules/identity/onboarding.service.ts";
import type { ExternalSignIn } from "../modules/identity/provider/external-sign-in.ts";
import type { IdentityProvider } from "../modules/identity/provider/identity-provider.ts";
import { providerRoutes } from "../modules/identity/provider/provider.routes.ts";
import { recoveryRoutes } from "../modules/identity/provider/recovery.routes.ts";
import type { RequestAudit } from "../modules/identity/request-audit.ts";
import type { SetupService } from "../modules/identity/setup.service.ts";
import { signUpRoutes } from "../modules/identity/sign-up.routes.ts";
import type { SignUpService } from "../modules/identity/sign-up.service.ts";
import { outboxRoutes } from "../modules/mail/mail.routes.ts";
import type { MailService } from "../modules/mail/mail.service.ts";
import { brandingRoutes } from "../modules/tenants/branding.routes.ts";
import type { BrandingService } from "../modules/tenants/branding.service.ts";
import { plansRoutes } from "../modules/tenants/plans.routes.ts";
import type { PlansService } from "../modules/tenants/plans.service.ts";
import type { QuotasService } from "../modules/tenants/quotas.service.ts";
import { tenantAttributesRoutes } from "../modules/tenants/tenant-attributes.routes.ts";
import type { TenantAttributesService } from "../modules/tenants/tenant-attributes.service.ts";
import { type TenantUsage, tenantsRoutes } from "../modules/tenants/tenants.routes.ts";
import type { TenantsService } from "../modules/tenants/tenants.service.ts";
import type { UserManagement } from "../modules/users/user-management.service.ts";
import { usersRoutes } from "../modules/users/users.routes.ts";

export interface PeopleDeps {
  readonly auth: AuthPlugin;
  readonly identity: IdentityService;
  readonly provider: IdentityProvider;
  readonly setup: SetupService;
  readonly signUp: SignUpService;
  readonly onboarding: OnboardingService;
  readonly account: AccountService;
  readonly external: ExternalSignIn | undefined;
  /** Scheme, host and port of links in mails and in texts that are handed on, for a request by this URL. */
  readonly mailOriginFor: (requestUrl: string) => string;
  readonly apiKeys: ApiKeysService;
  readonly mail: MailService;
  readonly audit: AuditService;
  readonly requestAudit: RequestAudit;
  readonly plans: PlansService;
  readonly tenants: TenantsService;
  readonly tenantAttributes: TenantAttributesService;
  readonly branding: BrandingService;
  readonly quotas: QuotasService;
  readonly usageOf: (tenantId: TenantId) => TenantUsage;
  readonly removeTenant: (tenantId: TenantId) => Promise<void>;
  readonly management: UserManagement;
}

interface PeopleRoutesDeps extends PeopleDeps {
  readonly isDevice: (id: string) => boolean;
}

/** Routes between a person and the data: set-up, sign-in, sessions, users. */
export const peopleRoutes = ({
  auth,
  identity,
  provider,
  setup,
  apiKeys,
  mail,
  audit,
  plans,
  tenants,
  ...deps
}: PeopleRoutesDeps) =>
  new Elysia()
    .use(authRoutes({ identity, auth }))
    .use(accountRoutes({ account: deps.account, auth }))
    .use(impersonationRoutes({ identity, auth }))
    .use(setupRoutes({ setup }))
    .use(
      signUpRoutes({
        signUp: deps.signUp,
        onboarding: deps.onboarding,
        identity,
        mailOriginFor: deps.mailOriginFor,
        auth,
      }),
    )
    .use(plansRoutes({ plans }))
    .use(apiKeysRoutes({ apiKeys, auth }))
    .use(
      providerRoutes({
        provider,
        setupRequired: () => setup.isRequired(),
        signUpOpen: () => deps.signUp.isOpen(),
        external: deps.external,
        appearance: deps.branding.appearance,
      }),
    )
    .use(
      recoveryRoutes({
        account: deps.account,
        mailOriginFor: deps.mailOriginFor,
        appearance: deps.branding.appearance,
      }),
    )
    .use(usersRoutes({ management: deps.management, mailOriginFor: deps.mailOriginFor, auth }))
    .use(outboxRoutes({ mail, tenants, auth }))
    .use(auditRoutes({ audit, tenants, isDevice: deps.isDevice, auth }))
    .use(tenantsRoutes({ ...deps, tenants, plans, auth }))
    .use(tenantAttributesRoutes({ attributes: deps.tenantAttributes, auth }))
    .use(brandingRoutes({ branding: deps.branding, tenants, plans, auth }));
