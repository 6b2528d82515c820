import { Send } from "lucide-preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { plural, t } from "../../../platform/i18n/i18n.ts";
import { redrawOn } from "../../../platform/redraw-on.ts";
import { useResource } from "../../../platform/resource.ts";
import { may } from "../../../platform/session.ts";
import { toast } from "../../../platform/toasts.ts";
import { ask } from "../../../ui/confirmation.tsx";
import { useAction } from "../../../ui/form/use-form.ts";
import { errorText } from "../../../ui/page/error-text.ts";
import { attributesApi } from "../../attributes/attributes-api.ts";
import { commandsApi, type NewCommand } from "../../commands/commands-api.ts";
import { keysOf, newestOf, numberOf, sharedMetadata, shown, textField } from "./values.ts";
import type { WidgetProps } from "./widget.types.ts";

/** Sends a command to each device of the widget. */
async function sendAll({ feed }: WidgetProps, command: NewCommand): Promise<number> {
  await Promise.all(feed.devices.map(({ deviceId }) => commandsApi.send(deviceId, command)));
  return feed.devices.length;
}

export function CommandButtonWidget(props: WidgetProps) {
  const { widget, feed } = props;
  redrawOn(feed.version);
  const action = useAction();
  const method = textField(widget, "method");
  const label = textField(widget, "label") || widget.name || method;
  const send = async () => {
    const { params = {} } = widget.config; // null, false and "" are sent as they are
    const count = await sendAll(props, { method, params });
    toast("success", plural("widget.commandSent", count));
  };
  const press = () => {
    if (widget.config.confirm === true)
      return ask({
        title: label,
        warning: t("widget.confirmCommand", { method, count: feed.devices.length }),
        action: t("widget.send"),
        onConfirm: async () => {
          await send();
        },
      });
    action.run(() => send().catch((error: unknown) => toast("error", errorText(error))));
  };
  return (
    <div class="flex h-full flex-col items-center justify-center gap-2">
      <button
        type="button"
        class="btn btn-primary max-w-full"
        disabled={action.busy || method === "" || feed.devices.length === 0 || !may("commands:write")}
        onClick={press}
      >
        <Send size={16} aria-hidden="true" />
        <span class="truncate">{label}</span>
      </button>
      <p class="text-center text-sm text-soft">{plural("widget.toDevices", feed.devices.length)}</p>
    </div>
  );
}

const REST_MS = 400;

const rangeOf = (widget: WidgetProps["widget"]) => [
  numberOf(widget, "min") ?? 0,
  numberOf(widget, "max") ?? 100,
  numberOf(widget, "step") ?? 1,
];

const Reported = ({ text }: { text: string }) => (
  <span class="text-sm text-soft">{t("widget.reported", { value: text })}</span>
);

/** Sets a value by a command, or by a shared attribute that the device adopts. */
export function SliderWidget(props: WidgetProps) {
  const { widget, feed } = props;
  redrawOn(feed.version);
  const [key = ""] = keysOf(widget);
  const [first] = feed.devices;
  const metadata = sharedMetadata(feed.devices, key);
  const isCommand = widget.config.as === "command";
  const set = useResource(
    async () =>
      isCommand || first === undefined || !may("attributes:read")
        ? undefined
        : (await attributesApi.list(first.deviceId, "SHARED")).find((item) => item.key === key)?.value,
    [first?.deviceId, key, isCommand],
  );
  const newest = first === undefined ? undefined : newestOf(props, first.deviceId, key).value;
  // The value that was set; if there is none, the value that the device reports.
  const value = set.data ?? newest;
  const [min = 0, max = 100, step = 1] = rangeOf(widget);
  const reported = typeof value === "number" ? value : undefined;
  const [wanted, setWanted] = useState(reported ?? min);
  const text = shown(widget, wanted, metadata);
  const action = useAction();
  useEffect(() => {
    if (reported !== undefined && !action.busy) setWanted(reported);
  }, [reported]);
  const waiting = useRef<ReturnType<typeof setTimeout>>();
  /** Sends after a pause, because a held arrow key is one request, not fifty. */
  const sendSoon = () => {
    clearTimeout(waiting.current);
    waiting.current = setTimeout(() => latest.current(), REST_MS);
  };
  const send = () =>
    action.run(async () => {
      try {
        if (isCommand) await sendAll(props, { key, value: wanted });
        else
          await Promise.all(
            feed.devices.map(({ deviceId }) => attributesApi.set(deviceId, "SHARED", { [key]: wanted })),
          );
        toast("success", t("widget.set", { key: metadata?.name ?? key, value: text }));
      } catch (error) {
        toast("error", errorText(error));
      }
    });
  const latest = useRef(send);
  latest.current = send;
  return (
    <div class="flex h-full flex-col justify-center gap-2">
      <div class="flex items-baseline justify-between gap-3">
        <span class="reading text-2xl font-semibold">{text}</span>
        <Reported text={shown(widget, newest, metadata)} />
      </div>
      <input
        type="range"
        class="range range-primary w-full"
        aria-label={widget.name || key}
        min={min}
        max={max}
        step={step}
        value={wanted}
        disabled={!may("attributes:write") || feed.devices.length === 0}
        onInput={(e) => setWanted(e.currentTarget.valueAsNumber)}
        onChange={sendSoon}
      />
    </div>
  );
}
