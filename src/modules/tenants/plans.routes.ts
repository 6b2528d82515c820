import { Elysia, t } from "elysia";
import type { PlansService } from "./plans.service.ts";
import { shownPlan } from "./tenants.schemas.ts";

export const plansRoutes = (deps: { plans: PlansService }) =>
  new Elysia({ prefix: "/api/plans", tags: ["auth"] }).get(
    "",
    () => deps.plans.shown().map((plan) => ({ ...plan, offered: deps.plans.offered().includes(plan) })),
    {
      response: { 200: t.Array(shownPlan) },
      detail: {
        summary: "Plans, and which of them one can sign up for",
        description: "Public. `onprem` is offered only where the operator says so (`signup_plans`).",
      },
    },
  );
