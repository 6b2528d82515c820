import { Plus, SquareTerminal } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { DeviceDetail } from "../../lib/api-types.ts";
import type { FormValues } from "../../lib/form-schema.ts";
import { serverPhrase } from "../../platform/i18n/error-texts.ts";
import { formatValue, toMs } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useLive } from "../../platform/live.ts";
import { useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { useCoalesced } from "../../platform/use-coalesced.ts";
import { Button } from "../../ui/button.tsx";
import { SchemaDialog } from "../../ui/form/schema-form.tsx";
import { EmptyPanel } from "../../ui/page/empty.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { TimelineItem } from "../../ui/page/timeline.tsx";
import type { DeviceTabProps } from "../devices/device-tab.types.ts";
import { type CommandState, commandsApi, type DeviceCommand, type NewCommand } from "./commands-api.ts";
import { sendForm } from "./send-form.ts";

const SHOWN = 100;

const COLORS: Record<CommandState, string> = {
  QUEUED: "text-soft",
  SENT: "text-primary",
  DELIVERED: "text-primary",
  SUCCESSFUL: "text-success",
  FAILED: "text-error",
  TIMEOUT: "text-error",
  EXPIRED: "text-soft",
};

interface Props extends DeviceTabProps {
  /** Renders the commands that the device supports, based on past commands. */
  readonly known: (sent: readonly DeviceCommand[], onSent: () => void) => ComponentChildren;
}

export function CommandsTab({ device, known }: Props) {
  const [sending, setSending] = useState(false);
  const list = useResource(() => commandsApi.list(device.deviceId, SHOWN), [device.deviceId]);
  const reloadSoon = useCoalesced(list.reload);
  useLive({ topics: ["commands"], deviceIds: [device.deviceId] }, reloadSoon);
  return (
    <div class="flex flex-col gap-4">
      <div class="flex flex-wrap items-start justify-between gap-3">
        <p class="max-w-2xl text-sm text-soft">{t("commands.hint")}</p>
        {may("commands:write") && (
          <Button icon={Plus} class="btn btn-primary btn-sm" onClick={() => setSending(true)}>
            {" "}
            {t("commands.send")}
          </Button>
        )}
      </div>
      {may("commands:write") && list.data && known(list.data.rows, list.reload)}
      <Loaded of={list}>
        {({ rows, total }) => <CommandList device={device} commands={rows} isMore={total > SHOWN} />}
      </Loaded>
      {sending && (
        <CommandDialog
          deviceId={device.deviceId}
          onClose={() => setSending(false)}
          onDone={() => {
            setSending(false);
            list.reload();
          }}
        />
      )}
    </div>
  );
}

/** Text for a device without commands. */
function wayText({ lorawanDevEui, parentDeviceId }: DeviceDetail): string {
  if (lorawanDevEui !== undefined) return t("commands.byDownlink");
  return t(parentDeviceId === undefined ? "commands.byConnection" : "commands.byGateway");
}

function CommandList(props: { device: DeviceDetail; commands: readonly DeviceCommand[]; isMore: boolean }) {
  const { device, commands, isMore } = props;
  if (commands.length === 0)
    return <EmptyPanel icon={SquareTerminal} title={t("commands.none")} hint={wayText(device)} />;
  return (
    <>
      <ul class="panel divide-y divide-base-300" data-testid="commands">
        {commands.map((command) => (
          <CommandItem key={command.commandId} command={command} />
        ))}
      </ul>
      {isMore && <p class="text-sm text-soft">{t("commands.older")}</p>}
    </>
  );
}

export function CommandItem({ command }: { command: DeviceCommand }) {
  const { method, params, status, response, errorText, attempts } = command;
  return (
    <TimelineItem
      at={toMs(command.finishedAt ?? command.createdAt) ?? 0}
      state={t(`command.${status}`)}
      color={COLORS[status]}
      aside={
        <>
          <p>{t("commands.by", { name: command.createdBy })}</p>
          {attempts > 0 && <p>{plural("commands.attempts", attempts)}</p>}
        </>
      }
    >
      <p class="reading">
        <span class="font-medium">{method}</span> <span class="text-soft">{formatValue(params)}</span>
      </p>
      {errorText && <p class="text-sm text-error">{serverPhrase(errorText)}</p>}
      {!errorText && response !== null && (
        <p class="text-sm">
          {t("commands.response")}: <span class="reading">{formatValue(response)}</span>
        </p>
      )}
    </TimelineItem>
  );
}

function CommandDialog(props: { deviceId: string; onClose: () => void; onDone: () => void }) {
  const send = async (body: FormValues) => {
    await commandsApi.send(props.deviceId, body as NewCommand); // fields of the form
    toast("success", t("commands.sent"));
    props.onDone();
  };
  return (
    <SchemaDialog
      title={t("commands.send")}
      submitText={t("commands.sendGo")}
      form={sendForm}
      initial={{ params: {}, retries: 0 }}
      onSave={send}
      onClose={props.onClose}
    />
  );
}
