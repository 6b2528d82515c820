import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { isJsonObject } from "../../lib/json/json.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Schemas } from "../../platform/database/data-schemas.ts";
import { openOwnFile, readOwnFile, writeNewFile } from "../../platform/files/data-file.ts";
import { syncPath } from "../../platform/files/durable-file.ts";
import { createPrivateFolder, giveToFolderOwner } from "../../platform/files/file-owner.ts";
import type { AuditActor } from "../audit/audit.types.ts";

const PHASES = ["STAGED", "TRIAL", "PROBATION", "PROVED", "REPLACING", "REPLACED"] as const;
/** Phase of an update, as `update-start.ts` describes it. */
export type UpdatePhase = (typeof PHASES)[number];

/** Returns whether the running version may still be rolled back. */
export const isOnTrial = (phase: UpdatePhase | undefined): boolean =>
  phase === "TRIAL" || phase === "PROBATION";

export interface UpdateState {
  readonly phase: UpdatePhase;
  readonly from: string;
  readonly to: string;
  /** Path of the executable to be updated. */
  readonly program: string;
  /** Path of the new executable next to it. */
  readonly next: string;
  /** Schemas that the new executable writes. */
  readonly schemas: Schemas;
  /** Max. time in ms until the new version is ready. */
  readonly readyWithinMs: number;
  /** Run time in ms after which the ready version is kept. */
  readonly probationMs: number;
  /** Number of crashes on probation. */
  readonly crashes?: number;
  /** Number of times that the version was started again on probation. Each start has its own watcher. */
  readonly restarts?: number;
  /** True if the version on probation stopped normally, which does not count as a crash. */
  readonly isStopped?: boolean;
  /** User who requested the update. */
  readonly actor: AuditActor;
}

/** Result of the last update. */
export interface UpdateResult {
  readonly outcome: "UPDATED" | "ROLLED_BACK" | "FAILED";
  readonly from: string;
  readonly to: string;
  /** Epoch ms. */
  readonly at: number;
  /** Reason why the gateway did not update. */
  readonly reason?: Text | undefined;
  readonly actor: AuditActor;
  /** True until the gateway has recorded it in its audit log. */
  readonly isNew: boolean;
}

const FOLDER = "update";
const STATE = "state.json";
const RESULT = "result.json";
const REASON = "reason.json";
const HEARTBEAT = "heartbeat";

export const updateFolder = (dataPath: string): string => join(dataPath, FOLDER);
/** Returns the folder of databases migrated by a rolled-back version, with the data that it stored. */
export const rolledBackFolder = (dataPath: string): string => join(dataPath, FOLDER, "rolled-back");
export const copiesFolder = (dataPath: string): string => join(dataPath, FOLDER, "copies");

/** Returns the path of the old executable after an update. */
export const previousProgram = (program: string): string => `${program}.previous`;
export const nextProgram = (program: string): string => `${program}.next`;

/** Writes a new file and renames it, so that a power cut leaves the old or the new content. */
function writeJson(dataPath: string, name: string, value: unknown): void {
  const file = join(updateFolder(dataPath), name);
  createPrivateFolder(dirname(file));
  // The gateway and `lineside update` may write simultaneously.
  const temporary = `${file}.${process.pid}.new`;
  writeNewFile(temporary, `${JSON.stringify(value)}\n`, { flush: true });
  giveToFolderOwner(temporary);
  renameSync(temporary, file);
  syncPath(dirname(file));
}

function readJson<Value>(dataPath: string, name: string): Value | undefined {
  try {
    return JSON.parse(String(readOwnFile(join(updateFolder(dataPath), name)))) as Value; // our own file
  } catch {
    return undefined; // there is none
  }
}

function remove(dataPath: string, name: string): void {
  rmSync(join(updateFolder(dataPath), name), { recursive: true, force: true });
}

const isState = (value: unknown): value is UpdateState =>
  isJsonObject(value) &&
  PHASES.some((phase) => phase === value.phase) &&
  [value.from, value.to, value.program, value.next].every((text) => typeof text === "string") &&
  [value.readyWithinMs, value.probationMs].every((time) => typeof time === "number") &&
  isJsonObject(value.schemas) &&
  isJsonObject(value.actor);

/** Returns the state of an update; undefined if there is none, or it is damaged. */
export function readState(dataPath: string): UpdateState | undefined {
  const state = readJson<unknown>(dataPath, STATE);
  return isState(state) ? state : undefined;
}

/** Returns whether there is an unreadable state. */
export const isStateDamaged = (dataPath: string): boolean =>
  existsSync(join(updateFolder(dataPath), STATE)) && readState(dataPath) === undefined;

export const readResult = (dataPath: string) => readJson<UpdateResult>(dataPath, RESULT);

/** Writes the state durably. */
export const writeState = (dataPath: string, state: UpdateState): void => writeJson(dataPath, STATE, state);
export const writeResult = (dataPath: string, result: UpdateResult): void =>
  writeJson(dataPath, RESULT, result);

/** Removes the previous update's result, rollback reason and rolled-back databases. */
export function forgetResult(dataPath: string): void {
  rmSync(rolledBackFolder(dataPath), { recursive: true, force: true });
  remove(dataPath, RESULT);
  remove(dataPath, REASON);
}

/** Stores why the version on trial will be rolled back, for the next start. */
export const writeReason = (dataPath: string, reason: Text): void => writeJson(dataPath, REASON, reason);
export const readReason = (dataPath: string) => readJson<Text>(dataPath, REASON);

/** Signals to the watcher that the version on probation is working. */
export function writeHeartbeat(dataPath: string): void {
  try {
    const file = openOwnFile(join(updateFolder(dataPath), HEARTBEAT), "create");
    ftruncateSync(file);
    writeSync(file, `${performance.now()}\n`);
    closeSync(file);
  } catch {
    // The disk is full or read-only; without any heartbeat, the watcher cannot record a hang either.
  }
}

/** Returns a value that changes with each heartbeat. */
export function readHeartbeat(dataPath: string): string | undefined {
  try {
    const file = join(updateFolder(dataPath), HEARTBEAT);
    return `${statSync(file).mtimeMs} ${readOwnFile(file)}`;
  } catch {
    return undefined; // there is none
  }
}

/** Ends an update. The state is removed last, so that an interrupted start repeats the previous steps. */
export function clearState(dataPath: string): void {
  remove(dataPath, REASON);
  remove(dataPath, HEARTBEAT);
  remove(dataPath, STATE);
  syncPath(updateFolder(dataPath));
  remove(dataPath, "copies");
}

export function ensureUpdateFolder(dataPath: string): string {
  const folder = updateFolder(dataPath);
  mkdirSync(dataPath, { recursive: true, mode: 0o700 });
  createPrivateFolder(folder);
  return folder;
}
