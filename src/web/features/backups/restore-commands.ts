import type { BackupSettings } from "./backups-api.ts";

const quote = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** Returns the command lines that restore the newest backup from a place. Secrets are left for the person to fill in. */
export function restoreCommands({
  place,
  isEncrypted,
}: Pick<BackupSettings, "place" | "isEncrypted">): string {
  const lines: string[] = [];
  if (place?.kind === "s3") lines.push(`export AWS_ACCESS_KEY_ID=${quote(place.accessKeyId)}`);
  if (place?.kind === "s3") lines.push("read -rs AWS_SECRET_ACCESS_KEY && export AWS_SECRET_ACCESS_KEY");
  if (isEncrypted) lines.push("read -rs LINESIDE_BACKUP_PASSPHRASE && export LINESIDE_BACKUP_PASSPHRASE");
  const from =
    place?.kind === "s3"
      ? `${quote(`s3://${place.bucket}/${place.prefix}`)} --endpoint ${quote(place.endpoint)} --region ${quote(place.region)}`
      : quote(place?.path ?? "/media/usb/backups");
  lines.push(`lineside restore --from ${from}`);
  return lines.join("\n");
}
