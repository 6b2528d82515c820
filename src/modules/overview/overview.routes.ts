import { Elysia } from "elysia";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { overviewBody, pinsBody } from "./overview.schemas.ts";
import type { OverviewService } from "./overview.service.ts";

/** Creates the routes for the key figures and pinned values on the first screen of the console. */
export const overviewRoutes = (deps: { overview: OverviewService; auth: AuthPlugin }) => {
  const { overview } = deps;
  return new Elysia({ prefix: "/api/overview", tags: ["tenant"] })
    .use(deps.auth)
    .get("", ({ principal }) => overview.get(principal), {
      auth: "devices:read",
      response: { 200: overviewBody },
      detail: {
        operationId: "getOverview",
        summary: "Get the key figures of the site",
        description:
          "Counts the devices and open alarms that the caller may see. `history` has these counts over the last 24 hours; it is empty for users without access to all devices. `pins` are values of devices that administrators show to everybody.",
      },
    })
    .put("/pins", ({ principal, body }) => ({ pins: overview.setPins(principal, body.pins) }), {
      auth: "tenant:write",
      audit: {
        action: "overview.pin",
        target: "tenant",
        id: ({ principal }: AuditContext) => principal.tenantId,
        read: ({ principal }: AuditContext) => ({ pins: overview.pinsOf(principal) }),
      },
      body: pinsBody,
      response: { 200: pinsBody },
      detail: {
        operationId: "setOverviewPins",
        summary: "Set the values that the overview shows",
        description: "Replaces all pinned values; 12 are allowed.",
        errors: {
          403: "Requires an owner or administrator with access to all devices.",
          404: "A device does not exist.",
        },
        example: { pins: [{ deviceId: "01996d2e-5a3c-7b10-9c0e-3f1d2a4b5c6d", key: "temperature" }] },
      },
    });
};
