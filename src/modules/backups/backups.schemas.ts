import { t } from "elysia";
import { CRON_CHARACTERS_MAX, VERIFY_DAYS_MAX } from "../../lib/console/form-limits.ts";
import { TEXT_FORMS } from "../../lib/core/text-forms.ts";
import { newestFirst, pageQuery, searchQuery } from "../api/lists.schemas.ts";
import { literals, renderedText } from "../api/wire.schemas.ts";
import { FIXED_KEYS } from "./backup-settings.ts";

const folderPlace = t.Object({
  kind: t.Literal("folder"),
  path: t.String({ minLength: 1, maxLength: 1_000, description: "absolute path of a folder that exists" }),
});
const bucket = {
  kind: t.Literal("s3"),
  endpoint: t.String({ format: "uri", maxLength: 500, description: "address of the S3-compatible server" }),
  region: t.String({ minLength: 1, maxLength: 100 }),
  bucket: t.String({ minLength: 1, maxLength: 200 }),
  prefix: t.String({
    maxLength: 500,
    pattern: TEXT_FORMS.object_prefix,
    description: "prefix of the names of all objects; empty, or ends with /",
  }),
  accessKeyId: t.String({ maxLength: 200 }),
};
const secret = (description: string) =>
  t.Optional(t.Union([t.String({ minLength: 1, maxLength: 500 }), t.Null()], { description }));

export const placeInput = t.Union([
  folderPlace,
  t.Object({ ...bucket, secretAccessKey: secret("absent: as it is") }),
]);
const placeOutput = t.Union([folderPlace, t.Object({ ...bucket, hasSecretAccessKey: t.Boolean() })]);

const schedule = t.Union([
  t.Object({
    expression: t.String({ maxLength: CRON_CHARACTERS_MAX, description: "five fields of cron" }),
    timezone: t.String({ maxLength: 100, description: "name of a time zone" }),
  }),
  t.Null(),
]);
const rules = {
  schedule,
  daily: t.Integer({ minimum: 1, maximum: 3_650, description: "days of which the newest backup is kept" }),
  weekly: t.Integer({ minimum: 0, maximum: 1_000, description: "weeks of which the newest backup is kept" }),
  maxAgeHours: t.Integer({
    minimum: 1,
    maximum: 8_784,
    description: "the gateway warns when the newest good backup is older",
  }),
};

const verifyDays = t.Integer({
  minimum: 1,
  maximum: VERIFY_DAYS_MAX,
  description: "days within which all files at the backup place are read back and verified",
});

export const settingsInput = t.Object({
  place: t.Union([placeInput, t.Null()]),
  passphrase: secret("encrypts the backups; absent: as it is, null: not encrypted"),
  ...rules,
  verifyDays: t.Optional(verifyDays),
});
export const testInput = t.Object({ place: placeInput, passphrase: secret("absent: as it is") });

export const backupRun = t.Object(
  {
    runId: t.Integer(),
    trigger: t.Union([t.Literal("SCHEDULE"), t.Literal("USER")]),
    state: t.Union([t.Literal("RUNNING"), t.Literal("DONE"), t.Literal("DAMAGED"), t.Literal("FAILED")]),
    startedAt: t.String(),
    finishedAt: t.Optional(t.String()),
    snapshotId: t.Optional(t.String()),
    bytes: t.Optional(t.Integer({ description: "of all databases and files" })),
    addedBytes: t.Optional(t.Integer({ description: "bytes that no earlier backup has" })),
    openedAll: t.Boolean({
      description: "whether every database was restored and opened, whatever its size",
    }),
    error: t.Optional(renderedText),
  },
  { title: "BackupRun" },
);

export const settingsBody = t.Object(
  {
    place: t.Union([placeOutput, t.Null()]),
    isEncrypted: t.Boolean(),
    fixed: t.Array(literals(FIXED_KEYS), {
      description: "configuration keys that are set and take precedence",
    }),
    ...rules,
    verifyDays,
    running: t.Optional(t.Object({ startedAt: t.String(), share: t.Number({ minimum: 0, maximum: 1 }) })),
    newestGood: t.Optional(backupRun),
    nextAt: t.Optional(t.String()),
    problems: t.Array(renderedText, {
      description: "overdue, failed or damaged backups",
    }),
  },
  { title: "BackupSettings" },
);

export const runsQuery = t.Object({ ...pageQuery, search: searchQuery(["snapshotId"]), sort: newestFirst });
export const snapshotBody = t.Object(
  {
    id: t.String(),
    createdAt: t.String(),
    version: t.String({ description: "version of Lineside that created it" }),
    bytes: t.Integer(),
    addedBytes: t.Integer(),
    isGood: t.Boolean({
      description:
        "false if the backup can only be restored in part, or contains telemetry that was already damaged",
    }),
  },
  { title: "BackupSnapshot" },
);
