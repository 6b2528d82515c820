import { t } from "elysia";
import { documentedAs } from "../api/documented-as.ts";
import { keyMetadataFields, resolvedKeyList } from "../profiles/key-metadata.schemas.ts";

export const resolveBody = t.Object(
  { deviceIds: t.Array(t.String({ maxLength: 64 }), { maxItems: 10_000 }) },
  { title: "KeyMetadataQuery" },
);

export const resolvedBody = t.Object(
  {
    devices: t.Array(t.Object({ deviceId: t.String(), profileId: t.String() })),
    profiles: t.Array(t.Object({ profileId: t.String(), keyMetadata: documentedAs(resolvedKeyList) })),
    rest: t.Optional(
      t.Array(t.String(), {
        description: "devices whose profiles had no room in this response; send them in another request",
      }),
    ),
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
