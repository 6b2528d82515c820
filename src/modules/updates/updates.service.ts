import { closeSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { conflict, DomainError, detail, invalid, tooLarge, toText } from "../../lib/core/domain-error.ts";
import { messageOf } from "../../lib/core/error-message.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Problem } from "../../platform/core/health.ts";
import type { Logger } from "../../platform/core/log.ts";
import { openOwnFile, writeWhole } from "../../platform/files/data-file.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { AuditActor, AuditRecorder } from "../audit/audit.types.ts";
import type { BackupsService } from "../backups/backups.service.ts";
import { ensureOperator } from "../tenants/tenants.errors.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import type { Principal } from "../users/users.types.ts";
import { localBackupPlace } from "./update-backup.ts";
import type { UpdateHead } from "./update-file.ts";
import {
  ensureReplaceable,
  ensureSpace,
  ensureUpdatable,
  inspectUpdate,
  PROBATION_MS,
  type RunningProgram,
  stageUpdate,
} from "./update-stage.ts";
import { discardStaged } from "./update-start.ts";
import {
  ensureUpdateFolder,
  isOnTrial,
  readResult,
  readState,
  type UpdateResult,
  writeResult,
} from "./update-state.ts";

const UPLOAD = "upload";
const UPDATE_BYTES_MAX = 512 * 1024 * 1024;
const READY_WITHIN_MS = 60_000;
const RESULT_INTERVAL_MS = 1_000;
/** Placeholder in the operator's command, because the file's name on the machine is unknown. */
const FILE_PLACEHOLDER = "FILE";

export interface UpdateUpload {
  readonly bytes: number;
  readonly totalBytes: number;
  readonly version: string;
  readonly commit: string;
}

export interface UpdateStatus {
  readonly version: string;
  readonly target: string | undefined;
  /** Reason why updates cannot be installed from the console. */
  readonly problem: Text | undefined;
  readonly upload: UpdateUpload | undefined;
  readonly isInstalling: boolean;
  /** True while the new version runs and may still be rolled back. */
  readonly isOnProbation: boolean;
  /** Reason why the last installation was aborted before a restart. */
  readonly failure: Text | undefined;
  readonly result: UpdateResult | undefined;
}

export interface UpdatesDeps {
  readonly running: RunningProgram;
  readonly dataPath: string;
  readonly tenants: Pick<TenantsService, "find" | "list">;
  readonly backups: Pick<BackupsService, "backUp">;
  readonly audit: AuditRecorder;
  /** Restarts the gateway in the same process. */
  readonly restart: () => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Returns the author of the later entry about the result. The entry about the request has more details. */
function toActor({ userId, email, role, apiKey }: Principal): AuditActor {
  if (apiKey !== undefined)
    return { type: "API_KEY", id: apiKey.apiKeyId, name: apiKey.name, keyOwnerId: userId };
  return { type: "USER", id: userId, name: email, role };
}

/** Updates from the console: accepts an update file in parts, verifies it, and installs it. */
export class UpdatesService {
  readonly #deps: UpdatesDeps;
  /** Verified head of the uploaded file. */
  #head: UpdateHead | undefined;
  #isInstalling = false;
  #failure: Text | undefined;
  #cancel: () => void = () => undefined;
  /** Resolves when the previous part is written, so that parts are written in order. */
  #writing: Promise<unknown> = Promise.resolve();

  constructor(deps: UpdatesDeps) {
    this.#deps = deps;
  }

  /** Continues an upload from before a restart, and records the result of an update in the audit log. */
  async start(): Promise<void> {
    this.#recordResult();
    if (this.#bytes() === 0) return;
    try {
      this.#head = await this.#inspect();
    } catch {
      this.#discardUpload(); // of this version, or cut off within its head
    }
  }

  stop(): void {
    this.#cancel();
  }

  ensureOperator(principal: Pick<Principal, "tenantId" | "devices">): void {
    ensureOperator(this.#deps.tenants, principal);
  }

  status(): UpdateStatus {
    const { running, dataPath } = this.#deps;
    return {
      version: running.version,
      target: running.target,
      problem: this.#problem(),
      upload: this.#upload(),
      isInstalling: this.#isInstalling,
      isOnProbation: readState(dataPath)?.phase === "PROBATION",
      failure: this.#failure,
      result: readResult(dataPath),
    };
  }

  /** Appends a part to the upload; offset 0 starts a new upload. @throws DomainError */
  upload(offset: number, part: Uint8Array): Promise<void> {
    const writing = this.#writing.then(() => this.#append(offset, part));
    this.#writing = writing.catch(() => undefined);
    return writing;
  }

  /** Returns a warning while an update waits for a restart, for example because its command was killed. */
  problem(): Problem | undefined {
    const state = this.#isInstalling ? undefined : readState(this.#deps.dataPath);
    if (state?.phase !== "STAGED") return undefined;
    return { severity: "WARNING", ...detail("update.staged", { version: state.to }) };
  }

  /** Discards the upload, and an update that waits for a restart. @throws DomainError `conflict` while the update is being installed */
  discard(): void {
    this.#discardUpload();
    discardStaged(this.#deps.dataPath);
  }

  #discardUpload(): void {
    if (this.#isInstalling) throw conflict("update.in_progress");
    rmSync(this.#file(), { force: true });
    this.#head = undefined;
  }

  /** Starts the installation of the uploaded file; the gateway restarts at its end. @throws DomainError */
  install(principal: Principal): void {
    const upload = this.#upload();
    if (this.#isInstalling) throw conflict("update.in_progress");
    if (upload === undefined || upload.bytes < upload.totalBytes) throw conflict("update.not_uploaded");
    const problem = this.#problem();
    if (problem !== undefined) throw new DomainError("conflict", problem);
    this.#isInstalling = true;
    this.#failure = undefined;
    void this.#install(toActor(principal));
  }

  async #install(actor: AuditActor): Promise<void> {
    const { running, dataPath, backups, restart, log } = this.#deps;
    try {
      await stageUpdate({
        running,
        dataPath,
        allowsOlder: false,
        file: this.#file(),
        readyWithinMs: READY_WITHIN_MS,
        probationMs: PROBATION_MS,
        actor,
        backUp: () => backups.backUp(() => localBackupPlace(dataPath)),
      });
      rmSync(this.#file(), { force: true });
      restart();
    } catch (error) {
      log.error("update given up", { error });
      this.#failure =
        error instanceof DomainError ? toText(error) : detail("update.failed", { reason: messageOf(error) });
      this.#isInstalling = false;
    }
  }

  async #append(offset: number, part: Uint8Array): Promise<void> {
    if (this.#isInstalling) throw conflict("update.in_progress");
    ensureUpdatable(this.#deps.running);
    ensureUpdateFolder(this.#deps.dataPath);
    const bytes = offset === 0 ? 0 : this.#bytes();
    if (offset !== bytes || (offset > 0 && this.#head === undefined))
      throw conflict("update.wrong_offset", { offset: bytes });
    if (offset === 0) rmSync(this.#file(), { force: true });
    const descriptor = openOwnFile(this.#file(), offset === 0 ? "createNew" : "write");
    try {
      writeWhole(descriptor, part, offset);
    } finally {
      closeSync(descriptor);
    }
    await this.#checkParts(offset);
  }

  /** Refuses a file as soon as its head, in the first part, shows that it cannot be installed. */
  async #checkParts(offset: number): Promise<void> {
    try {
      if (offset === 0) {
        this.#head = await this.#inspect();
        const { bytes } = this.#head.manifest;
        if (bytes > UPDATE_BYTES_MAX)
          throw tooLarge("update.too_large", { megabytes: UPDATE_BYTES_MAX / (1024 * 1024) });
        ensureSpace(this.#deps.dataPath, bytes);
      }
      const upload = this.#upload();
      if (upload !== undefined && upload.bytes > upload.totalBytes) throw invalid("update.damaged");
    } catch (error) {
      this.#discardUpload();
      throw error;
    }
  }

  #inspect(): Promise<UpdateHead> {
    const { running, dataPath } = this.#deps;
    return inspectUpdate(this.#file(), { running, dataPath, allowsOlder: false });
  }

  #upload(): UpdateUpload | undefined {
    if (this.#head === undefined) return undefined;
    const { manifest, offset } = this.#head;
    const { version, commit, bytes } = manifest;
    return { bytes: this.#bytes(), totalBytes: offset + bytes, version, commit };
  }

  #problem(): Text | undefined {
    const { running, dataPath } = this.#deps;
    try {
      ensureReplaceable(ensureUpdatable(running).path, dataPath, FILE_PLACEHOLDER);
      return undefined;
    } catch (error) {
      if (error instanceof DomainError) return toText(error);
      throw error;
    }
  }

  /** Records the result, which a version on trial does not know at its start. */
  #recordResult(): void {
    const { dataPath, tenants, audit, clock } = this.#deps;
    if (isOnTrial(readState(dataPath)?.phase))
      this.#cancel = clock.schedule(RESULT_INTERVAL_MS, () => this.#recordResult());
    const result = readResult(dataPath);
    const host = tenants.list().find(({ isHost }) => isHost);
    if (result?.isNew !== true || host === undefined) return;
    const { outcome, from, to, reason, actor } = result;
    audit.record({
      tenantId: host.tenantId,
      actor,
      action: outcome === "UPDATED" ? "gateway.updated" : "gateway.update_failed",
      outcome: "SUCCESS",
      target: { type: "gateway", id: "gateway" },
      before: { version: from },
      after: { version: outcome === "UPDATED" ? to : from, ...(reason && { reason: reason.code }) },
    });
    writeResult(dataPath, { ...result, isNew: false });
  }

  readonly #file = () => join(this.#deps.dataPath, "update", UPLOAD);
  readonly #bytes = () => statSync(this.#file(), { throwIfNoEntry: false })?.size ?? 0;
}
