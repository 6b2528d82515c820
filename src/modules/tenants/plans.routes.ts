import { Elysia, t } from "elysia";
import type { PlansService } from "./plans.service.ts";

const limit = (what: string) =>
  t.Union([t.Number(), t.Null()], { description: `${what}; null for no limit` });

const planBody = t.Object({
  id: t.String(),
  name: t.String(),
  whitelabelEnabled: t.Boolean({ description: "whether tenants may put their own name, logo and colours" }),
  limits: t.Object({
    devices: limit("devices"),
    users: limit("users"),
    retentionDays: limit("days that telemetry is kept"),
    messagesPerSecond: limit("messages a second, of all devices together"),
  }),
});

export const plansRoutes = (deps: { plans: PlansService }) =>
  new Elysia({ prefix: "/api/plans", tags: ["auth"] }).get(
    "",
    () => deps.plans.list().map((plan) => ({ ...plan })),
    {
      response: { 200: t.Array(planBody) },
      detail: { summary: "Plans that one can sign up for" },
    },
  );
