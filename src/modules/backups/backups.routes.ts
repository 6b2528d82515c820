import { Elysia, type Static, t } from "elysia";
import { inEnglish, notFound } from "../../lib/core/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";
import { iso } from "../../lib/time/iso-time.ts";
import { OneTimeLinks } from "../../platform/secrets/one-time-links.ts";
import { fileResponse } from "../api/documented-responses.ts";
import { listHeaders, toPage, wholeList } from "../api/lists.ts";
import { OPERATORS_ONLY } from "../api/operation-errors.ts";
import type { WithLink } from "../api/report-refusal.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import {
  backupRun,
  type placeInput,
  runsQuery,
  settingsBody,
  settingsInput,
  snapshotBody,
  testInput,
} from "./backups.schemas.ts";
import type { BackupsService } from "./backups.service.ts";
import type { BackupSettings, StoredBackupRun } from "./backups.types.ts";
import type { ListedSnapshot } from "./place-requests.ts";
import type { BackupPlace } from "./snapshot.types.ts";

const toText = ({ code, params }: Text) => ({ code, params, message: inEnglish({ code, params }) });

const toRun = (run: StoredBackupRun) => ({
  runId: run.runId,
  trigger: run.trigger,
  state: run.state,
  startedAt: iso(run.startedAt),
  openedAll: run.openedAll,
  ...(run.finishedAt !== null && { finishedAt: iso(run.finishedAt) }),
  ...(run.snapshotId !== null && { snapshotId: run.snapshotId }),
  ...(run.bytes !== null && { bytes: run.bytes }),
  ...(run.addedBytes !== null && { addedBytes: run.addedBytes }),
  ...(run.error !== null && { error: toText(run.error) }),
});

const toSnapshot = ({ id, createdAt, lineside, bytes, addedBytes, isGood }: ListedSnapshot) => ({
  id,
  isGood,
  createdAt: iso(createdAt),
  version: lineside,
  bytes,
  addedBytes,
});

function toPlace(place: BackupPlace | null) {
  if (place === null || place.kind === "folder") return place;
  const { secretAccessKey, ...shown } = place;
  return { ...shown, hasSecretAccessKey: secretAccessKey !== "" };
}

function toSettings(backups: BackupsService) {
  const { place, passphrase, schedule, daily, weekly, maxAgeHours, verifyDays } = backups.settings;
  const { running, newestGood, nextAt, problems } = backups.status();
  return {
    place: toPlace(place),
    isEncrypted: passphrase !== null,
    fixed: [...backups.fixed],
    schedule,
    daily,
    weekly,
    maxAgeHours,
    verifyDays,
    ...(running && { running: { startedAt: iso(running.startedAt), share: running.share } }),
    ...(newestGood && { newestGood: toRun(newestGood) }),
    ...(nextAt !== undefined && { nextAt: iso(nextAt) }),
    problems: problems.map(toText),
  };
}

/** Adds the stored secret to a location if the request contains none. */
function withSecret(input: Static<typeof placeInput>, { place }: BackupSettings): BackupPlace {
  if (input.kind === "folder") return input;
  const kept = place?.kind === "s3" ? place.secretAccessKey : "";
  return { ...input, secretAccessKey: input.secretAccessKey ?? kept };
}

const withPassphrase = (input: string | null | undefined, { passphrase }: BackupSettings) =>
  input === undefined ? passphrase : input;

/** Streams pieces on demand: the next piece is read when the client has taken the previous one. */
function toStream(pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
}

const snapshotList = wholeList({ sort: ["createdAt", "bytes"], search: ["id", "version"] });
const PREFIX = "/api/gateway/backup";
const LINK_LIFETIME_MS = 60_000;

interface BackupRouteDeps {
  readonly backups: BackupsService;
  readonly withLink: WithLink;
  readonly auth: AuthPlugin;
}

const settingsRoutes = ({ backups, auth }: BackupRouteDeps) =>
  new Elysia({ prefix: PREFIX, tags: ["gateway"] })
    .use(auth)
    .get(
      "",
      ({ principal }) => {
        backups.ensureOperator(principal);
        return toSettings(backups);
      },
      {
        auth: "gateway:manage",
        response: { 200: settingsBody },
        detail: {
          operationId: "getBackupSettings",
          summary: "Get settings and state of backups",
          description: "Without secrets.",
          errors: OPERATORS_ONLY,
        },
      },
    )
    .put(
      "",
      async ({ principal, body }) => {
        backups.ensureOperator(principal);
        const { place, passphrase, verifyDays, ...rules } = body;
        await backups.save({
          ...rules,
          verifyDays: verifyDays ?? backups.settings.verifyDays,
          place: place && withSecret(place, backups.settings),
          passphrase: withPassphrase(passphrase, backups.settings),
        });
        return toSettings(backups);
      },
      {
        auth: "gateway:manage",
        audit: {
          action: "backup.configure",
          target: "gateway",
          id: () => "gateway",
          details: ({ response }: AuditContext) => response,
        },
        body: settingsInput,
        response: { 200: settingsBody },
        detail: {
          operationId: "setBackupSettings",
          summary: "Change the settings of backups",
          description: "Existing backups stay as they are.",
          errors: {
            ...OPERATORS_ONLY,
            400: "The folder is inside the data directory, or the schedule is invalid.",
            409: "The configuration sets one of the values.",
          },
          example: {
            place: { kind: "folder", path: "/media/usb/lineside" },
            passphrase: "correct horse battery staple",
            schedule: { expression: "30 3 * * *", timezone: "Europe/Berlin" },
            daily: 7,
            weekly: 4,
            maxAgeHours: 36,
          },
        },
      },
    )
    .post(
      "/test",
      async ({ principal, body }) => {
        backups.ensureOperator(principal);
        const { settings } = backups;
        await backups.test(withSecret(body.place, settings), withPassphrase(body.passphrase, settings));
        return { success: true };
      },
      {
        auth: "gateway:manage",
        audit: { none: "changes nothing" },
        body: testInput,
        response: { 200: t.Object({ success: t.Boolean() }) },
        detail: {
          operationId: "testBackupPlace",
          summary: "Test a backup location",
          description: "Writes a small object, reads and removes it.",
          errors: {
            403: `${OPERATORS_ONLY[403]} Or the passphrase is wrong.`,
            409: "Another gateway keeps its backups at this location.",
            503: "The backup location cannot be used.",
          },
          example: { place: { kind: "folder", path: "/media/usb/lineside" } },
        },
      },
    );

/** Creates the routes for runs, scheduled and manual. */
const runRoutes = ({ backups, auth }: BackupRouteDeps) =>
  new Elysia({ prefix: PREFIX, tags: ["gateway"] })
    .use(auth)
    .get(
      "/runs",
      ({ principal, query, set, request }) => {
        backups.ensureOperator(principal);
        const page = toPage(query);
        const { items, total } = backups.runs({ ...page, search: query.search });
        Object.assign(set.headers, listHeaders(request.url, { ...page, total }));
        return items.map(toRun);
      },
      {
        auth: "gateway:manage",
        query: runsQuery,
        response: { 200: t.Array(backupRun) },
        detail: {
          operationId: "listBackupRuns",
          summary: "List runs of backups, the newest first",
          errors: OPERATORS_ONLY,
        },
      },
    )
    .post(
      "/runs",
      ({ principal, set }) => {
        backups.ensureOperator(principal);
        set.status = 202;
        return toRun(backups.begin("USER"));
      },
      {
        auth: "gateway:manage",
        audit: { action: "backup.run", target: "gateway", id: () => "gateway" },
        response: { 202: backupRun },
        detail: {
          operationId: "startBackup",
          summary: "Back up now",
          description: "Starts a backup, which runs in the background.",
          errors: { ...OPERATORS_ONLY, 409: "A backup is running, or no backup location is set." },
        },
      },
    );

const documentedArchive = {
  200: fileResponse("The archive, encrypted as the backups are.", "application/octet-stream"),
};

async function archiveResponse(backups: BackupsService, snapshotId: string): Promise<Response> {
  const archive = await backups.archive(snapshotId);
  return new Response(toStream(archive), {
    headers: {
      "content-type": "application/octet-stream",
      "content-disposition": `attachment; filename="lineside-${snapshotId}.backup"`,
    },
  });
}

/** Routes for the backups at the location. */
const snapshotRoutes = ({ backups, auth }: BackupRouteDeps) =>
  new Elysia({ prefix: PREFIX, tags: ["gateway"] })
    .use(auth)
    .get(
      "/snapshots",
      async (context) => {
        backups.ensureOperator(context.principal);
        return snapshotList.page(context, (await backups.snapshots()).map(toSnapshot));
      },
      {
        auth: "gateway:manage",
        query: t.Object(snapshotList.fields),
        response: { 200: t.Array(snapshotBody) },
        detail: {
          operationId: "listBackups",
          summary: "List the backups at the place, the newest first",
          errors: { ...OPERATORS_ONLY, 503: "The backup location cannot be reached." },
        },
      },
    )
    .get(
      "/snapshots/:snapshotId/archive",
      ({ principal, params }) => {
        backups.ensureOperator(principal);
        return archiveResponse(backups, params.snapshotId);
      },
      {
        auth: "gateway:manage",
        detail: {
          operationId: "downloadBackup",
          summary: "Download a backup as one file",
          responses: documentedArchive,
          description: "`lineside restore --from <file>` restores it.",
          errors: { ...OPERATORS_ONLY, 404: "The backup is unknown.", 409: "No backup location is set." },
        },
      },
    );

/** Creates links by which a browser downloads an archive as a stream of any size. */
const downloadRoutes = ({ backups, withLink, auth }: BackupRouteDeps) => {
  const links = new OneTimeLinks<string>(LINK_LIFETIME_MS);
  return new Elysia({ prefix: PREFIX, tags: ["gateway"] })
    .use(auth)
    .post(
      "/snapshots/:snapshotId/download-link",
      ({ principal, params, set }) => {
        backups.ensureOperator(principal);
        set.status = 201;
        return { path: `${PREFIX}/downloads/${links.create(params.snapshotId, performance.now())}` };
      },
      {
        auth: "gateway:manage",
        audit: { action: "backup.download", target: "gateway", id: () => "gateway" },
        response: { 201: t.Object({ path: t.String({ description: "Path that needs no bearer token." }) }) },
        detail: {
          operationId: "createBackupLink",
          summary: "Create a link that downloads a backup once",
          description: "The link works for one minute.",
          errors: OPERATORS_ONLY,
        },
      },
    )
    .get(
      "/downloads/:secret",
      async (context) => {
        const { secret } = context.params;
        const snapshotId = await withLink(context, secret, () => {
          const taken = links.take(secret, performance.now());
          if (taken === undefined) throw notFound("backup.link_invalid");
          return taken;
        });
        return archiveResponse(backups, snapshotId);
      },
      {
        detail: {
          operationId: "downloadLinkedBackup",
          summary: "Download a backup by a link",
          responses: documentedArchive,
          errors: { 404: "The link is unknown, used or expired." },
        },
      },
    );
};

export const backupsRoutes = (deps: BackupRouteDeps) => [
  settingsRoutes(deps),
  runRoutes(deps),
  snapshotRoutes(deps),
  downloadRoutes(deps),
];
