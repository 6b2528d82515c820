import { Elysia, t } from "elysia";
import type { PlansService } from "./plans.service.ts";
import { planBody } from "./tenants.schemas.ts";

export const plansRoutes = (deps: { plans: PlansService }) =>
  new Elysia({ prefix: "/api/plans", tags: ["auth"] }).get(
    "",
    () => deps.plans.offered().map((plan) => ({ ...plan })),
    {
      response: { 200: t.Array(planBody) },
      detail: { summary: "Plans that one can sign up for" },
    },
  );
