const text = { type: "text" } as const;

/** Keys about backups. Each has priority over what the console sets. */
export const backupConfigKeys = {
  backup_to: {
    kind: text,
    default: undefined,
    description:
      "Backup place: the absolute path of a folder, or `s3://bucket/prefix`. It has priority over the place that the console sets.",
  },
  backup_schedule: {
    kind: text,
    default: undefined,
    description:
      "When backups run, as a cron expression such as `30 2 * * *`. It has priority over the schedule that the console sets.",
  },
  backup_timezone: {
    kind: text,
    default: "UTC",
    description: "Time zone of `backup_schedule`, such as `Europe/Berlin`.",
  },
  backup_passphrase: {
    kind: text,
    default: undefined,
    secret: true,
    refusesEmpty: true,
    description:
      "Passphrase that encrypts the backups. It has priority over the passphrase that the console sets. Keep a copy away from the gateway: without it, nobody can restore them.",
  },
  backup_endpoint: {
    kind: text,
    default: undefined,
    description: "Address of the S3-compatible server, for a `backup_to` that begins with `s3://`.",
  },
  backup_region: { kind: text, default: "us-east-1", description: "Region of the bucket in `backup_to`." },
  backup_access_key_id: {
    kind: text,
    default: undefined,
    description: "Access key ID for the bucket in `backup_to`.",
  },
  backup_secret_access_key: {
    kind: text,
    default: undefined,
    secret: true,
    description: "Secret access key for the bucket in `backup_to`.",
  },
} as const;
