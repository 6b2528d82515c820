import { t } from "../i18n/i18n.ts";
import { CopyButton } from "./parts.tsx";

export function DemoPlant() {
  return (
    <div class="flex flex-col gap-2">
      <p class="text-sm">{t("demo.how")}</p>
      <div class="flex items-center justify-between gap-3 rounded-field bg-base-200 py-2 pr-2 pl-3">
        <code class="reading text-sm">lineside simulate</code>
        <CopyButton text="lineside simulate" label={t("setup.copyCommand")} />
      </div>
      <p class="text-sm text-soft">{t("demo.then")}</p>
    </div>
  );
}
