import { t } from "../i18n/i18n.ts";
import { me } from "../state/session.ts";
import { CopyButton } from "./parts.tsx";

/** How to start the simulated factory beside this gateway. */
export function DemoPlant({ email }: { email?: string }) {
  const who = email ?? me.value?.email ?? "";
  const command = `lineside simulate --url ${location.origin} --email ${who} --password '…'`;
  return (
    <div class="flex flex-col gap-2">
      <p class="text-sm">{t("demo.how")}</p>
      <div class="flex items-center justify-between gap-3 rounded-field bg-base-200 py-2 pr-2 pl-3">
        <code class="reading min-w-0 text-sm break-all">{command}</code>
        <CopyButton text={command} label={t("setup.copyCommand")} />
      </div>
      <p class="text-sm text-soft">{t("demo.then")}</p>
    </div>
  );
}
