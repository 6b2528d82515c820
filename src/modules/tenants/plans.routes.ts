import { Elysia, t } from "elysia";
import type { PlansService } from "./plans.service.ts";
import { planBody } from "./tenants.schemas.ts";

export const plansRoutes = (deps: { plans: PlansService }) =>
  new Elysia({ prefix: "/api/plans", tags: ["auth"] }).get("", () => [...deps.plans.offered()], {
    response: { 200: t.Array(planBody) },
    detail: {
      summary: "The plans that one can sign up for",
      description: "Public. `onprem` is among them only where the operator offers it (`signup_plans`).",
    },
  });
