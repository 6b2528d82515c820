import { Send } from "lucide-preact";
import { useState } from "preact/hooks";
import { serverText } from "../../platform/i18n/error-texts.ts";
import { toMs } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useKept } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { SchemaFields } from "../../ui/form/schema-fields.tsx";
import { SubmitButton } from "../../ui/form/submit-button.tsx";
import { useSchemaForm } from "../../ui/form/use-schema-form.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { ResourceList } from "../../ui/page/resource-list.tsx";
import { TimelineItem } from "../../ui/page/timeline.tsx";
import { nameOf } from "../devices/device-names.ts";
import {
  asDownlink,
  contentText,
  type DownlinkFields,
  downlinkForm,
  emptyDownlink,
} from "./downlink-form.tsx";
import {
  type DownlinkStatus,
  type Integration,
  integrationsApi,
  type ListedDownlink,
} from "./integrations-api.ts";
import { useIntegrationEvents } from "./use-integration-events.ts";

const SHOWN = 50;
/** Sends a downlink to a LoRaWAN device, and shows the results of earlier ones. */
export function DownlinkTab({ integration }: { integration: Integration }) {
  const { integrationId } = integration;
  const list = useKept(() => integrationsApi.downlinks(integrationId, SHOWN), [integrationId]);
  useIntegrationEvents(integrationId, list.reload);
  return (
    <div class="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-[24rem_minmax(0,1fr)]">
      {may("integrations:write") && <DownlinkForm integration={integration} onSent={list.reload} />}
      <div class="flex min-w-0 flex-col gap-4">
        <ResourceList
          title={t("integration.tabDownlinks")}
          isWithin
          list={list}
          icon={Send}
          none={[t("downlink.none"), t("downlink.noneHint")]}
          isOrdered
        >
          {(downlink) => <Row key={downlink.downlinkId} downlink={downlink} />}
        </ResourceList>
      </div>
    </div>
  );
}

function DownlinkForm({ integration, onSent }: { integration: Integration; onSent: () => void }) {
  const { integrationId, settings_json, status } = integration;
  const { downlink, mqtt } = settings_json;
  const { state, busy, error, send } = useSchemaForm(downlinkForm, {
    ...emptyDownlink,
    fPort: downlink?.fPort,
    confirmed: downlink?.confirmed ?? false,
  });
  const { kind } = state.values as DownlinkFields; // fields of `downlinkForm`'s schema
  const [problem, setProblem] = useState<"device" | "content" | undefined>(undefined);
  const submit = (e: Event) => {
    e.preventDefault();
    const read = asDownlink(state.values as DownlinkFields); // the values of the form
    setProblem("problem" in read ? read.problem : undefined);
    if ("problem" in read) return;
    send(async () => {
      const created = await integrationsApi.sendDownlink(integrationId, read.form);
      const text = t(
        `downlink.toast.${created.status === "SENT" || created.status === "FAILED" ? created.status : "QUEUED"}`,
      );
      toast(created.status === "FAILED" ? "error" : "success", text);
      onSent();
    });
  };
  const canSend = (downlink?.url ?? "") !== "" || mqtt !== undefined;
  return (
    <form class="panel flex min-w-0 flex-col gap-4 p-4" onSubmit={submit}>
      <h2 class="font-semibold">{t("downlink.title")}</h2>
      {!canSend && (
        <p role="note" class="border-l-4 border-l-warning pl-3 text-sm">
          {t("downlink.noAccess")}{" "}
          <a class="link" href={`/integrations/${integrationId}/settings`}>
            {t("integration.tabSettings")}
          </a>
        </p>
      )}
      {status === "paused" && (
        <p role="note" class="border-l-4 border-l-warning pl-3 text-sm">
          {t("downlink.isPaused")}
        </p>
      )}
      <SchemaFields
        form={downlinkForm}
        {...state}
        errorOf={(path) => {
          if (path === "devEui" && problem === "device") return t("downlink.devEuiWrong");
          return path === "hex" && problem === "content"
            ? t(`downlink.wrong.${kind}`)
            : state.errorOf?.(path);
        }}
      />
      <ErrorNote error={error} />
      <div>
        <SubmitButton busy={busy}>{t("downlink.send")}</SubmitButton>
      </div>
    </form>
  );
}

const COLORS: Partial<Record<DownlinkStatus, string>> = {
  ACKNOWLEDGED: "text-primary",
  FAILED: "text-error",
  QUEUED: "text-accent",
};

function Row({ downlink }: { downlink: ListedDownlink }) {
  const { status, errorText, deviceId, devEui, fPort, attempts, createdAt, payload, isCommand } = downlink;
  return (
    <TimelineItem
      at={toMs(createdAt) ?? 0}
      state={t(`downlinkStatus.${status}`)}
      color={COLORS[status] ?? ""}
      aside={attempts > 1 && plural("delivery.attempts", attempts)}
    >
      <p>
        {deviceId === null ? (
          <span class="reading">{devEui}</span>
        ) : (
          <a class="link link-hover" href={`/devices/${deviceId}`}>
            {nameOf(deviceId)}
          </a>
        )}
        <span class="text-soft">
          {fPort !== null && ` · ${t("downlink.port", { fPort })}`}
          {isCommand && ` · ${t("downlink.isCommand")}`}
        </span>
      </p>
      <p class="reading text-sm text-soft">{contentText(payload)}</p>
      {errorText !== null && <p class="text-sm">{serverText(errorText)}</p>}
    </TimelineItem>
  );
}
