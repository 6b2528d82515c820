import { Elysia } from "elysia";
import { preferredLanguage } from "../../lib/strings/preferred-language.ts";
import { successBody } from "../api/wire.schemas.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { statusBody } from "./demo-plant.schemas.ts";
import type { DemoPlantService } from "./demo-plant.service.ts";

const WHO = "For users with write access who see all devices.";

const languageOf = (request: Request) => preferredLanguage(undefined, request.headers.get("accept-language"));

/** Creates the routes for the simulated factory of a tenant. */
export const demoPlantRoutes = ({ demoPlant, auth }: { demoPlant: DemoPlantService; auth: AuthPlugin }) => {
  const read = ({ principal }: AuditContext) => demoPlant.status(principal).state;
  const id = ({ principal }: AuditContext) => principal.tenantId;
  return new Elysia({ prefix: "/api/demo-plant", tags: ["devices"] })
    .use(auth)
    .get("", ({ principal }) => demoPlant.status(principal), {
      auth: "devices:read",
      response: { 200: statusBody },
      detail: { operationId: "getDemoPlant", summary: "Get the state of the demo plant" },
    })
    .post("/start", ({ principal, request }) => demoPlant.start(principal, languageOf(request)), {
      auth: "devices:write",
      audit: { action: "demo_plant.start", target: "demoPlant", id, read },
      response: { 200: statusBody },
      detail: {
        operationId: "startDemoPlant",
        summary: "Start the demo plant",
        description: `Creates a small simulated factory: two lines with gateways, twelve machines, alarms, a dashboard and a day of history. Names are German if \`Accept-Language\` prefers German, else English. Existing parts stay. Pins four values to the overview if none is pinned and the caller may pin values. ${WHO}`,
        errors: {
          403: "The plan of the tenant does not allow 14 more devices.",
          409: "A part of the factory would exceed a limit of the site.",
        },
      },
    })
    .post("/stop", ({ principal }) => demoPlant.stop(principal), {
      auth: "devices:write",
      audit: { action: "demo_plant.stop", target: "demoPlant", id, read },
      response: { 200: statusBody },
      detail: {
        operationId: "stopDemoPlant",
        summary: "Stop the demo plant",
        description: `Its devices and their data stay. ${WHO}`,
      },
    })
    .delete(
      "",
      async ({ principal }) => {
        await demoPlant.remove(principal);
        return { success: true };
      },
      {
        auth: "devices:write",
        audit: { action: "demo_plant.remove", target: "demoPlant", id, read },
        response: { 200: successBody },
        detail: {
          operationId: "deleteDemoPlant",
          summary: "Remove the demo plant",
          description: `Deletes its devices, their data, its profiles and its dashboard. ${WHO}`,
        },
      },
    );
};
