import { Clock, MessageSquare, Pause, Play } from "lucide-preact";
import { useRef, useState } from "preact/hooks";
import type { Rejection } from "../../lib/api-types.ts";
import type { RealtimeMessage } from "../../lib/realtime-types.ts";
import { serverText } from "../../platform/i18n/error-texts.ts";
import { formatDate, toMs } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useLive } from "../../platform/live.ts";
import { serverNow } from "../../platform/now.ts";
import { useKept } from "../../platform/resource.ts";
import { mayWrite } from "../../platform/session.ts";
import { ask } from "../../ui/confirmation.tsx";
import { Segments } from "../../ui/form/segments.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { Empty } from "../../ui/page/empty.tsx";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { TimelineItem } from "../../ui/page/timeline.tsx";
import type { DeviceTabProps } from "../devices/device-tab.types.ts";
import { ThingFaults } from "../faults/fault-list.tsx";
import { heldApi } from "./held-api.ts";

const KEPT_MAX = 500;
const FILTERS = ["all", "telemetry", "attributes", "rejected"] as const;
type Filter = (typeof FILTERS)[number];

interface Entry {
  readonly id: number;
  readonly at: number;
  readonly kind: Exclude<Filter, "all">;
  readonly body: string;
  readonly reason?: string;
  readonly where?: string;
}

const BADGES: Record<Entry["kind"], string> = {
  telemetry: "text-primary",
  attributes: "text-accent",
  rejected: "text-error",
};

let nextId = 1;

function rejected(rejection: Rejection): Entry {
  return {
    id: nextId++,
    at: toMs(rejection.at) ?? serverNow(),
    kind: "rejected",
    body: rejection.sample ?? "",
    reason: serverText(rejection, rejection.reason),
    where: `${rejection.source} · ${rejection.where} · ${rejection.code}`,
  };
}

function entryOf(message: RealtimeMessage): Entry | undefined {
  if (message.type === "snapshot") return undefined;
  if (message.topic === "events")
    return message.event === "rejected" ? rejected(message.rejection) : undefined;
  if (message.topic === "telemetry") {
    return { id: nextId++, at: message.ts, kind: "telemetry", body: JSON.stringify(message.values) };
  }
  if (message.topic !== "attributes") return undefined;
  const body = message.deleted?.length ? { deleted: message.deleted } : (message.values ?? {});
  return {
    id: nextId++,
    at: serverNow(),
    kind: "attributes",
    body: JSON.stringify(body),
    where: message.scope,
  };
}

export function MessagesTab({ device }: DeviceTabProps) {
  const [entries, setEntries] = useState<readonly Entry[]>([]);
  const [filter, setFilter] = useState<Filter>("all");
  const [paused, setPaused] = useState(false);
  const held = useRef<Entry[]>([]);
  const show = (fresh: readonly Entry[]) => setEntries((now) => [...fresh, ...now].slice(0, KEPT_MAX));
  useLive({ topics: ["telemetry", "attributes", "events"], deviceIds: [device.deviceId] }, (message) => {
    const entry = entryOf(message);
    if (!entry) return;
    if (paused) held.current = [entry, ...held.current].slice(0, KEPT_MAX);
    else show([entry]);
  });
  const resume = () => {
    if (paused) show(held.current);
    held.current = [];
    setPaused(!paused);
  };
  const shown = entries.filter((entry) => filter === "all" || entry.kind === filter);
  return (
    <div class="flex flex-col gap-4">
      <div class="flex flex-wrap items-center justify-between gap-3">
        <Segments
          label={t("messages.filter")}
          items={FILTERS.map((id) => ({ id, text: t(`messages.${id}`) }))}
          current={filter}
          onSelect={setFilter}
        />
        <div class="flex gap-2">
          <button type="button" class="btn btn-sm" aria-pressed={paused} onClick={resume}>
            {paused ? <Play size={14} aria-hidden="true" /> : <Pause size={14} aria-hidden="true" />}
            {paused ? t("common.resume") : t("common.pause")}
          </button>
          <button type="button" class="btn btn-sm" onClick={() => setEntries([])}>
            {t("messages.clear")}
          </button>
        </div>
      </div>
      <HeldMessages deviceId={device.deviceId} />
      <ThingFaults kind="device" id={device.deviceId} />
      <div class="panel">
        {shown.length === 0 ? (
          <Empty
            icon={MessageSquare}
            title={t("messages.none")}
            hint={filter === "rejected" ? t("messages.noneRejected") : t("messages.noneHint")}
          >
            <a class="btn" href={`/devices/${device.deviceId}/connect`}>
              {t("device.connectIt")}
            </a>
          </Empty>
        ) : (
          <ol class="divide-y divide-base-300" data-testid="messages">
            {shown.map((entry) => (
              <Line key={entry.id} entry={entry} />
            ))}
          </ol>
        )}
      </div>
    </div>
  );
}

function Line({ entry }: { entry: Entry }) {
  return (
    <TimelineItem at={entry.at} state={t(`messages.${entry.kind}`)} color={BADGES[entry.kind]}>
      {entry.reason && <p>{entry.reason}</p>}
      {entry.where && <p class="text-sm text-soft">{entry.where}</p>}
      {entry.body && <code class="reading text-sm break-all">{entry.body}</code>}
    </TimelineItem>
  );
}

/** Messages that wait for the clock of the gateway, with actions; empty if there are none. */
function HeldMessages({ deviceId }: { deviceId: string }) {
  const resource = useKept(() => heldApi.get(deviceId), [deviceId]);
  const action = useAction();
  if (resource.data?.messages === 0) return null;
  const after = async (work: Promise<unknown>) => {
    await work;
    resource.reload();
  };
  return (
    <Loaded of={resource} skeleton={null}>
      {({ messages, firstDueAt }) => (
        <section class="panel flex flex-col gap-3 p-4" aria-label={t("held.title")}>
          <p class="flex items-start gap-2">
            <Clock size={18} class="mt-0.5 flex-none text-warning" aria-hidden="true" />
            <span>
              <strong>{plural("held.count", messages)}</strong>{" "}
              {t("held.hint", { firstDueAt: formatDate(toMs(firstDueAt) ?? 0, "zoned") })}
            </span>
          </p>
          <ErrorNote error={action.error} />
          {mayWrite.value && (
            <div class="flex flex-wrap gap-2">
              <button
                type="button"
                class="btn btn-sm"
                disabled={action.busy}
                onClick={() => action.run(() => after(heldApi.store(deviceId)))}
              >
                {t("held.store")}
              </button>
              <button
                type="button"
                class="btn btn-sm"
                onClick={() =>
                  ask({
                    title: t("common.delete"),
                    warning: t("held.deleteWarning"),
                    onConfirm: () => after(heldApi.delete(deviceId)),
                  })
                }
              >
                {t("common.delete")}
              </button>
            </div>
          )}
        </section>
      )}
    </Loaded>
  );
}
