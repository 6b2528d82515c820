import { conflict, invalid } from "../../lib/core/domain-error.ts";
import { invariant } from "../../lib/core/invariant.ts";
import type { PlansService } from "../tenants/plans.service.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import type { UsersService } from "../users/users.service.ts";
import type { Principal, User } from "../users/users.types.ts";
import type { SignUpRepository } from "./sign-up.repository.ts";
import type { SignUpService } from "./sign-up.service.ts";

export interface Onboarding {
  readonly fullName?: string | undefined;
  readonly tenantName?: string | undefined;
  readonly planId?: string | undefined;
}

/** Creates a tenant owned by a signed-up user. The session stays the same. */
export function createOnboardingService(deps: {
  repository: Pick<SignUpRepository, "find" | "delete">;
  signUp: Pick<SignUpService, "ensureOpen">;
  users: Pick<UsersService, "findById">;
  changeUser: (userId: User["userId"], changes: Partial<User>) => void;
  tenants: Pick<TenantsService, "create">;
  plans: Pick<PlansService, "offered">;
  transact: (work: () => void) => void;
}) {
  const { repository, users, tenants, plans } = deps;
  return {
    /** @throws DomainError `onboarding.done` if the user already has a tenant */
    complete({ userId }: Principal, onboarding: Onboarding): void {
      deps.transact(() => {
        const user = users.findById(userId);
        if (user === undefined || user.tenantId !== null) throw conflict("onboarding.done");
        deps.signUp.ensureOpen();
        const findPlan = (planId = "") => plans.offered().find(({ id }) => id === planId);
        if (onboarding.planId !== undefined && findPlan(onboarding.planId) === undefined)
          throw invalid("sign_up.plan_unknown");
        // The chosen plan may be deleted meanwhile, and users of external providers chose none.
        const plan = findPlan(onboarding.planId ?? repository.find(user.email)?.planId) ?? plans.offered()[0];
        invariant(plan !== undefined, "no plan is offered");
        const fullName = onboarding.fullName?.trim() || user.fullName;
        const name = onboarding.tenantName?.trim() || fullName || user.email;
        const tenant = tenants.create(name, plan.id);
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

export type OnboardingService = ReturnType<typeof createOnboardingService>;
