import { t } from "elysia";
import { choice, isoTime, nameText } from "../api/wire.schemas.ts";
import { ROLES } from "../users/users.types.ts";

const name = nameText(100, "1 to 100 characters in one line, of one key in the tenant");

const role = t.Union(
  [
    t.Literal("TENANT_OWNER"),
    t.Literal("TENANT_ADMIN"),
    t.Literal("TENANT_RW"),
    t.Literal("TENANT_READ_ONLY"),
  ],
  { description: "not above the caller's own" },
);

export const createApiKeyBody = t.Object(
  {
    name,
    role,
    expiresAt: t.Optional(
      t.Union([t.String({ maxLength: 40 }), t.Null()], {
        description: "ISO 8601, in the future; never by default",
      }),
    ),
    deviceIds: t.Optional(
      t.Array(t.String({ minLength: 1, maxLength: 64 }), {
        minItems: 1,
        maxItems: 10_000,
        description: "the only devices that the key may see; all that its creator sees by default",
      }),
    ),
  },
  { title: "CreateApiKey" },
);

export const updateApiKeyBody = t.Object({ name }, { title: "UpdateApiKey" });

const fields = {
  apiKeyId: t.String(),
  name: t.String(),
  hint: t.String({ description: "the key's first characters" }),
  role: choice(ROLES),
  status: choice(["ACTIVE", "EXPIRED", "STOPPED"], {
    description: "STOPPED while the user who created it is disabled, or when that user is gone",
  }),
  hasGlobalDeviceAccess: t.Boolean({ description: "sees every device that its creator sees" }),
  deviceIds: t.Array(t.String()),
  createdBy: t.Union([t.String(), t.Null()], {
    description: "a user's id; null for a key of the command line",
  }),
  createdByName: t.String(),
  createdAt: isoTime,
  expiresAt: t.Union([t.String(), t.Null()], { description: "ISO 8601; null: never" }),
  lastUsedAt: t.Union([t.String(), t.Null()], {
    description: "ISO 8601, up to a minute or two late; null: never",
  }),
};

export const apiKeyBody = t.Object(fields, { title: "ApiKey" });
export const createdApiKeyBody = t.Object(
  {
    ...fields,
    key: t.String({ description: "the credential, for `Authorization: Bearer lsk_…`; shown this once" }),
  },
  { title: "CreatedApiKey" },
);
