import { Elysia, t } from "elysia";
import { documentedAs } from "../documented-as.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { keyMetadataFields, keyMetadataList } from "../profiles/key-metadata.schemas.ts";
import type { KeyMetadataLookup } from "./key-metadata.service.ts";

const resolveBody = t.Object(
  { deviceIds: t.Array(t.String({ maxLength: 64 }), { maxItems: 10_000 }) },
  { title: "KeyMetadataQuery" },
);

export const resolvedBody = t.Object(
  {
    devices: t.Array(t.Object({ deviceId: t.String(), profileId: t.String() })),
    profiles: t.Array(t.Object({ profileId: t.String(), keyMetadata: documentedAs(keyMetadataList) })),
  },
  { title: "ResolvedKeyMetadata" },
);

export const sentKeyBody = t.Object(
  {
    key: t.String(),
    sample: t.Union([t.Number(), t.Boolean(), t.String(), t.Null()], {
      description: "newest value of one of the devices; null for a JSON value",
    }),
    suggestion: t.Optional(documentedAs(keyMetadataFields)),
  },
  { title: "SentKey" },
);

export const keyMetadataLookupRoutes = (deps: { lookup: KeyMetadataLookup; auth: AuthPlugin }) => {
  const { lookup } = deps;
  return new Elysia({ prefix: "/api" })
    .use(deps.auth)
    .post("/key-metadata/resolve", ({ principal, body }) => lookup.resolve(principal, body.deviceIds), {
      auth: "telemetry:read",
      body: resolveBody,
      response: { 200: resolvedBody },
      detail: {
        tags: ["telemetry"],
        summary: "Get the metadata of telemetry keys of many devices",
        description:
          "Answers the profile of each device, and for each of these profiles the metadata that is in effect: its own and, for other keys, the tenant's default. Devices that do not exist are left out.",
      },
    })
    .get(
      "/device-profiles/:profileId/key-suggestions",
      ({ principal, params, request }) => lookup.suggest(principal, params.profileId, request.signal),
      {
        auth: "telemetry:read",
        response: { 200: t.Array(sentKeyBody) },
        detail: {
          tags: ["device profiles"],
          summary: "Suggest metadata for the keys that devices of a profile send",
          description:
            "Lists the keys of up to 200 devices of the profile, with a suggestion for well-known names. Nothing is stored: send what is right with the profile.",
        },
      },
    );
};
