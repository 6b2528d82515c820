import { VERIFY_DAYS_DEFAULT } from "../../lib/console/form-limits.ts";
import { conflict } from "../../lib/core/domain-error.ts";
import type { Config } from "../../platform/config/config.ts";
import type { BackupSettings } from "./backups.types.ts";
import type { BackupPlace } from "./snapshot.types.ts";

/** Configuration keys that take precedence over settings made in the console. */
export const FIXED_KEYS = ["backup_to", "backup_schedule", "backup_passphrase"] as const;
export type FixedKey = (typeof FIXED_KEYS)[number];

export type BackupConfig = Pick<
  Config,
  | FixedKey
  | "backup_timezone"
  | "backup_endpoint"
  | "backup_region"
  | "backup_access_key_id"
  | "backup_secret_access_key"
>;

export const defaultSettings: BackupSettings = {
  place: null,
  passphrase: null,
  schedule: null,
  daily: 7,
  weekly: 4,
  maxAgeHours: 36,
  verifyDays: VERIFY_DAYS_DEFAULT,
  placeSince: 0,
  savedAt: 0,
};

export interface BucketAccess {
  readonly endpoint: string | undefined;
  readonly region: string;
  readonly accessKeyId: string | undefined;
  readonly secretAccessKey: string | undefined;
}

/** Parses a folder or `s3://bucket/prefix`. Returns `undefined` for a bucket without an endpoint or keys. */
export function parsePlace(text: string, access: BucketAccess): BackupPlace | undefined {
  const [, bucket, prefix = ""] = /^s3:\/\/([^/]+)\/?(.*)$/.exec(text) ?? [];
  if (bucket === undefined) return { kind: "folder", path: text };
  const { endpoint, region, accessKeyId, secretAccessKey } = access;
  if (endpoint === undefined || accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return {
    kind: "s3",
    endpoint,
    region,
    bucket,
    prefix: prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`,
    accessKeyId,
    secretAccessKey,
  };
}

/** Returns the configured place, which was checked when the configuration was read. */
const placeOf = (config: BackupConfig): BackupPlace | undefined =>
  config.backup_to === undefined
    ? undefined
    : parsePlace(config.backup_to, {
        endpoint: config.backup_endpoint,
        region: config.backup_region,
        accessKeyId: config.backup_access_key_id,
        secretAccessKey: config.backup_secret_access_key,
      });

export const fixedKeysOf = (config: BackupConfig): FixedKey[] =>
  FIXED_KEYS.filter((key) => config[key] !== undefined);

/** Returns the effective settings: configured values, otherwise stored values. */
export function settingsInForce(
  stored: Partial<BackupSettings> | undefined,
  config: BackupConfig,
): BackupSettings {
  const settings = { ...defaultSettings, ...stored };
  const expression = config.backup_schedule;
  return {
    ...settings,
    place: placeOf(config) ?? settings.place,
    passphrase: config.backup_passphrase ?? settings.passphrase,
    schedule: expression === undefined ? settings.schedule : { expression, timezone: config.backup_timezone },
  };
}

/** @throws DomainError `conflict` for a value that differs from the configured value */
export function ensureUnfixed(
  input: Pick<BackupSettings, "place" | "schedule" | "passphrase">,
  { inForce, config }: { inForce: BackupSettings; config: BackupConfig },
): void {
  const values = {
    backup_to: "place",
    backup_schedule: "schedule",
    backup_passphrase: "passphrase",
  } as const;
  for (const key of fixedKeysOf(config)) {
    const name = values[key];
    if (JSON.stringify(input[name]) !== JSON.stringify(inForce[name]))
      throw conflict("backup.fixed", { key });
  }
}
