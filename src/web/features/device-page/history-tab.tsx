import { useLocation } from "preact-iso";
import type { Scope } from "../../lib/api-types.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { Segments } from "../../ui/segments.tsx";
import { AttributeHistory } from "../attributes/attribute-history.tsx";
import { HistoryLink } from "../audit/history-link.tsx";
import type { DeviceTabProps } from "../devices/device-tab.types.ts";

const CHOICES = ["ALL", "SHARED", "SERVER", "CLIENT"] as const;

/** Changes to a device, and who made them. */
export function HistoryTab({ device }: DeviceTabProps) {
  const { query, path, route } = useLocation();
  const choice = CHOICES.find((id) => id === query.scope?.toUpperCase()) ?? "ALL";
  const scope: Scope | undefined = choice === "ALL" ? undefined : choice;
  return (
    <div class="flex flex-col gap-4">
      <div class="flex flex-wrap items-center justify-between gap-3">
        <Segments
          label={t("attributes.scope")}
          items={CHOICES.map((id) => ({ id, text: id === "ALL" ? t("common.all") : t(`scope.${id}`) }))}
          current={choice}
          onSelect={(id) => route(id === "ALL" ? path : `${path}?scope=${id}`, true)}
        />
        <HistoryLink id={device.deviceId} />
      </div>
      <p class="text-sm text-soft">{t("changes.hint")}</p>
      <div class="panel flex flex-col">
        <AttributeHistory key={choice} deviceId={device.deviceId} {...(scope && { scope })} />
      </div>
    </div>
  );
}
