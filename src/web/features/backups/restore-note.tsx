import { t } from "../../platform/i18n/i18n.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Section } from "../../ui/section.tsx";
import type { BackupSettings } from "./backups-api.ts";
import { restoreCommands } from "./restore-commands.ts";

export function RestoreNote({ settings }: { settings: BackupSettings }) {
  const commands = restoreCommands(settings);
  return (
    <Section id="backup-restore" title={t("backups.restore")} hint={t("backups.restoreHint")}>
      <pre class="reading rounded-field bg-base-200 p-3 text-sm break-words whitespace-pre-wrap">
        {commands}
      </pre>
      <div>
        <CopyButton text={commands} label={t("backups.restoreCopy")} />
      </div>
      <p class="text-sm text-soft">{t("backups.restoreNote")}</p>
    </Section>
  );
}
