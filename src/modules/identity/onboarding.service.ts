import { conflict, invalid } from "../../lib/domain-error.ts";
import type { PlansService } from "../tenants/plans.service.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import type { UsersService } from "../users/users.service.ts";
import type { Principal, User } from "../users/users.types.ts";
import type { SignUpRepository } from "./sign-up.repository.ts";
import type { SignUpService } from "./sign-up.service.ts";

/** Used where the plan of the sign-up is gone meanwhile. */
const DEFAULT_PLAN = "basic";

export interface Onboarding {
  readonly fullName?: string | undefined;
  readonly tenantName?: string | undefined;
  readonly planId?: string | undefined;
}

/** Gives somebody who has signed up a tenant, which they own. The session stays the same. */
export interface OnboardingService {
  /** @throws DomainError `onboarding.done` for who has a tenant. */
  complete(principal: Principal, given: Onboarding): void;
}

export function createOnboardingService(deps: {
  repository: Pick<SignUpRepository, "find" | "delete">;
  signUp: Pick<SignUpService, "ensureOpen">;
  users: Pick<UsersService, "findById">;
  changeUser: (userId: User["userId"], changes: Partial<User>) => void;
  tenants: Pick<TenantsService, "create">;
  plans: Pick<PlansService, "find">;
  transact: (work: () => void) => void;
}): OnboardingService {
  const { repository, users, tenants, plans } = deps;
  return {
    complete({ userId }, given) {
      deps.transact(() => {
        const user = users.findById(userId);
        if (user === undefined || user.tenantId !== null)
          throw conflict("onboarding.done", "You have a tenant already.");
        deps.signUp.ensureOpen();
        if (given.planId !== undefined && plans.find(given.planId) === undefined)
          throw invalid("sign_up.plan_unknown", "planId must be the id of a plan that /api/plans lists");
        const chosen = given.planId ?? repository.find(user.email)?.planId ?? DEFAULT_PLAN;
        const fullName = given.fullName?.trim() || user.fullName;
        const name = given.tenantName?.trim() || fullName || user.email;
        const tenant = tenants.create(name, plans.find(chosen)?.id ?? DEFAULT_PLAN);
        deps.changeUser(userId, {
          tenantId: tenant.tenantId,
          fullName,
          role: "TENANT_OWNER",
          canAcknowledgeAlarms: true,
          hasGlobalDeviceAccess: true,
          hasGlobalAssetAccess: true,
        });
        repository.delete(user.email);
      });
    },
  };
}
