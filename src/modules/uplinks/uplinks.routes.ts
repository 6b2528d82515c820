import type { Static } from "@sinclair/typebox";
import { inEnglish } from "../../lib/core/domain-error.ts";
import { iso } from "../../lib/time/iso-time.ts";
import type { ResponseSpace } from "../../platform/load/response-space.ts";
import { ALL_DEVICES_ONLY } from "../api/operation-errors.ts";
import { resourceRoutes } from "../api/resource.routes.ts";
import { itemToWire } from "../api/resource.ts";
import { successBody } from "../api/wire.schemas.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { targetExample, uplinkResource } from "./uplinks.resource.ts";
import { resendBody, testUplinkBody } from "./uplinks.schemas.ts";
import type { UplinksService, VisibleUplink } from "./uplinks.service.ts";

function toWire({ report, options, ...uplink }: VisibleUplink) {
  const { error, errorAt, lastSentAt, upToDateAt, ...counts } = report;
  return {
    ...itemToWire(uplink),
    ...options,
    steps: options.steps as Record<string, unknown>[], // checked when they were stored
    ...counts,
    lastSentAt: iso(lastSentAt),
    upToDateAt: iso(upToDateAt),
    error: error === null ? null : inEnglish(error),
    errorText: error,
    errorAt: iso(errorAt),
  };
}

interface UplinksRoutesDeps {
  readonly uplinks: UplinksService;
  readonly responses: ResponseSpace;
  readonly auth: AuthPlugin;
}

export const uplinksRoutes = ({ uplinks, responses, auth }: UplinksRoutesDeps) =>
  resourceRoutes(uplinkResource, {
    service: uplinks,
    longList: { responses, read: (principal) => uplinks.read(principal) },
    toWire,
    read({ principal }, id) {
      const { name, enabled, target, options } = uplinks.get(principal, id);
      return { name, enabled, target, ...options };
    },
    actions: {
      resend: {
        operationId: "resendUplink",
        summary: "Send stored telemetry again",
        description: "Sends all values of a range of time again, after new values.",
        errors: ALL_DEVICES_ONLY,
        body: resendBody,
        run: (principal, id, range: Static<typeof resendBody>) => uplinks.resend(principal, id, range),
        example: { from: 1_790_000_000_000, to: 1_790_086_400_000 },
      },
      skip: {
        operationId: "skipUplinkBatch",
        summary: "Skip the batch that the target refuses",
        description: "The batch is not sent again.",
        errors: { ...ALL_DEVICES_ONLY, 409: "The target refuses nothing." },
        run: (principal, id) => uplinks.skip(principal, id),
      },
    },
    auth,
  }).post(
    "/test",
    async ({ principal, body, request }) => {
      await uplinks.test(principal, body, request.signal);
      return { success: true };
    },
    {
      auth: "uplinks:write",
      audit: { none: "changes nothing" },
      body: testUplinkBody,
      response: { 200: successBody },
      detail: {
        operationId: "testUplinkTarget",
        summary: "Test the settings of a target",
        description: "Connects to the target and checks the credentials. Nothing is stored.",
        errors: {
          ...ALL_DEVICES_ONLY,
          400: "The settings are invalid.",
          404: "The uplink is unknown.",
          503: "The target cannot be reached.",
        },
        example: {
          target: targetExample,
        },
      },
    },
  );
