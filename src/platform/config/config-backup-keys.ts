const text = { type: "text" } as const;

/** Backup keys, which take precedence over settings made in the console. */
export const backupConfigKeys = {
  backup_to: {
    kind: text,
    default: undefined,
    description:
      "Backup place: the absolute path of a folder, or `s3://bucket/prefix`. Takes precedence over the place set in the console.",
  },
  backup_schedule: {
    kind: text,
    default: undefined,
    description:
      "Backup schedule: a cron expression such as `30 2 * * *`. Takes precedence over the schedule set in the console.",
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
      "Passphrase that encrypts the backups. Takes precedence over the passphrase set in the console. Keep a copy away from the gateway: nobody can restore the backups without it.",
  },
  backup_endpoint: {
    kind: text,
    default: undefined,
    description: "URL of the S3-compatible server, if `backup_to` begins with `s3://`.",
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
