import { Elysia, t } from "elysia";
import { KEYS_MAX } from "../../lib/keys/key-metadata.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { resolveBody, resolvedBody, sentKeyBody } from "./key-lookup.schemas.ts";
import type { KeyLookup } from "./key-lookup.service.ts";

export const keyLookupRoutes = (deps: { lookup: KeyLookup; auth: AuthPlugin }) => {
  const { lookup } = deps;
  return new Elysia({ prefix: "/api" })
    .use(deps.auth)
    .post("/key-metadata/resolve", ({ principal, body }) => lookup.resolve(principal, body.deviceIds), {
      auth: "telemetry:read",
      body: resolveBody,
      response: { 200: resolvedBody },
      detail: {
        operationId: "resolveKeyMetadata",
        tags: ["telemetry"],
        summary: "Get the metadata of telemetry keys of many devices",
        description:
          "Returns the profile of each device, and for each of these profiles the metadata that is in effect: its own and, for other keys, the tenant's default. Devices that do not exist are left out.",
        example: { deviceIds: ["01996d2e-5a3c-7b10-9c0e-3f1d2a4b5c6d"] },
      },
    })
    .get(
      "/device-profiles/:profileId/key-suggestions",
      ({ principal, params, request }) => lookup.suggest(principal, params.profileId, request.signal),
      {
        auth: "telemetry:read",
        response: { 200: t.Array(sentKeyBody) },
        detail: {
          operationId: "suggestKeyMetadata",
          tags: ["device profiles"],
          summary: "Suggest metadata for keys of a profile's devices",
          description: `Lists up to ${KEYS_MAX} keys that devices of the profile have sent, with a suggestion for well-known names. Nothing is stored: to use a suggestion, update the profile with it.`,
        },
      },
    );
};
