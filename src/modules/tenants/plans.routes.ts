import { Elysia, t } from "elysia";
import { wholeList } from "../api/lists.ts";
import type { PlansService } from "./plans.service.ts";
import { planBody } from "./tenants.schemas.ts";

const planList = wholeList({ sort: ["id", "name"], search: ["id", "name"] });

export const plansRoutes = (deps: { plans: PlansService }) =>
  new Elysia({ prefix: "/api/plans", tags: ["auth"] }).get(
    "",
    ({ query, request, set }) => planList.page({ query, request, set }, deps.plans.offered()),
    {
      query: t.Object(planList.fields),
      response: { 200: t.Array(planBody) },
      detail: {
        operationId: "listPlans",
        summary: "List the plans that are available at sign-up",
        description: "Public. The list has `onprem` only if the operator offers it (`signup_plans`).",
      },
    },
  );
