import { Elysia } from "elysia";
import { conflict } from "../../lib/core/domain-error.ts";
import { iso } from "../../lib/time/iso-time.ts";
import type { TrustedClock } from "../../platform/time/trusted-clock.ts";
import { OPERATORS_ONLY } from "../api/operation-errors.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { ensureOperator } from "../tenants/tenants.errors.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import { clockBody } from "./clock.schemas.ts";

const toClock = (clock: TrustedClock) => ({
  isSet: clock.isSet(),
  time: iso(clock.now()),
  systemTime: iso(clock.systemNow()),
});

/** Creates the routes for the gateway's clock, including a user's confirmation that the system clock is right. */
export const clockRoutes = (deps: {
  clock: TrustedClock;
  tenants: Pick<TenantsService, "find">;
  auth: AuthPlugin;
}) => {
  const { clock, tenants, auth } = deps;
  return new Elysia({ prefix: "/api/gateway", tags: ["gateway"] })
    .use(auth)
    .get(
      "/clock",
      ({ principal }) => {
        ensureOperator(tenants, principal);
        return toClock(clock);
      },
      {
        auth: "gateway:manage",
        response: { 200: clockBody },
        detail: {
          operationId: "getClock",
          summary: "Get the time of the gateway and its source",
          errors: OPERATORS_ONLY,
        },
      },
    )
    .post(
      "/clock/confirm",
      ({ principal }) => {
        ensureOperator(tenants, principal);
        if (!clock.confirm()) throw conflict("system.clock_too_early", { time: iso(clock.systemNow()) });
        return toClock(clock);
      },
      {
        auth: "gateway:manage",
        audit: { action: "gateway.clock", target: "gateway", id: () => "gateway" },
        response: { 200: clockBody },
        detail: {
          operationId: "confirmClock",
          summary: "Confirm that the system's clock is right",
          description:
            "The gateway uses the system's time from now on, and what waits for the clock goes on.",
          errors: { ...OPERATORS_ONLY, 409: "The system's time is before 2026." },
        },
      },
    );
};
