import { t } from "elysia";
import { newestFirst } from "../api/lists.schemas.ts";
import { jsonValue } from "../api/wire.schemas.ts";

const outcome = (description: string) =>
  t.Union([t.Literal("SUCCESS"), t.Literal("REFUSED"), t.Literal("FAILED")], { description });
const actorType = t.Union([
  t.Literal("USER"),
  t.Literal("API_KEY"),
  t.Literal("COMMAND_LINE"),
  t.Literal("ANONYMOUS"),
]);
const time = (description: string) =>
  t.Optional(t.String({ maxLength: 40, description: `${description}: ISO 8601 or epoch ms` }));

const filter = {
  from: time("not before"),
  to: time("not after"),
  actorId: t.Optional(
    t.String({ maxLength: 64, description: "a user's or API key's id, also as impersonator" }),
  ),
  action: t.Optional(
    t.String({
      maxLength: 64,
      description: "`device.update`; with a dot at its end all of a kind: `device.`",
    }),
  ),
  outcome: t.Optional(outcome("only these")),
  targetId: t.Optional(t.String({ maxLength: 256, description: "id of the changed object" })),
  search: t.Optional(t.String({ maxLength: 256, description: "part of a name, an id or a network address" })),
};

export const listAuditQuery = t.Object({
  ...filter,
  limit: t.Optional(
    t.Integer({ minimum: 1, maximum: 1000, description: "maximum number of entries; default 100" }),
  ),
  sort: newestFirst,
  cursor: t.Optional(
    t.String({ maxLength: 32, description: "cursor from the `Link` header of the previous page" }),
  ),
});
export const exportAuditQuery = t.Object({
  ...filter,
  format: t.Optional(t.Union([t.Literal("csv"), t.Literal("ndjson")], { description: "csv by default" })),
});

export const auditBody = t.Object(
  {
    auditId: t.String(),
    at: t.String(),
    actorType,
    actorId: t.Optional(t.String()),
    actorName: t.String(),
    impersonatorId: t.Optional(t.String()),
    impersonatorName: t.Optional(t.String({ description: "the user who acted as another one" })),
    action: t.String(),
    outcome: outcome("REFUSED: the caller lacked the permission; FAILED: a sign-in failed"),
    targetType: t.Optional(t.String()),
    targetId: t.Optional(t.String()),
    targetName: t.Optional(t.String()),
    address: t.Optional(t.String()),
    userAgent: t.Optional(t.String()),
    before: t.Optional(jsonValue("changed fields with their old values; it never contains secrets")),
    after: t.Optional(jsonValue("changed fields with their new values")),
  },
  { title: "AuditEntry" },
);
