import { Inbox, Pause, Play, RotateCw } from "lucide-preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { serverPhrase } from "../../platform/i18n/error-texts.ts";
import { toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useLive } from "../../platform/live.ts";
import { useKept } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { useCoalesced } from "../../platform/use-coalesced.ts";
import { Button } from "../../ui/button.tsx";
import { ask } from "../../ui/confirmation.tsx";
import { SearchBox } from "../../ui/form/search-box.tsx";
import { Segments } from "../../ui/form/segments.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { errorText } from "../../ui/page/error-text.ts";
import { ResourceList } from "../../ui/page/resource-list.tsx";
import { TimelineItem } from "../../ui/page/timeline.tsx";
import { Age } from "../../ui/state/age.tsx";
import {
  type EventStatus,
  type Integration,
  type IntegrationEvent,
  integrationsApi,
} from "./integrations-api.ts";

const FIRST = 100;
const MOST = 1_000;
const FILTERS = ["all", "OK", "ERROR", "DROPPED"] as const;
type Filter = (typeof FILTERS)[number];

const isFilter = (text: string | undefined): text is Filter => FILTERS.some((filter) => filter === text);

/** Live list of messages; failed ones can be processed again. */
export function MessagesTab({ integration }: { integration: Integration }) {
  const { integrationId, stats } = integration;
  const { query } = useLocation();
  const [filter, setFilter] = useState<Filter>(isFilter(query.status) ? query.status : "all");
  const [search, setSearch] = useState("");
  const [limit, setLimit] = useState(FIRST);
  const [isPaused, setPaused] = useState(false);
  const status: EventStatus | undefined = filter === "all" ? undefined : filter;
  const list = useKept(
    () => integrationsApi.events(integrationId, { status, search, limit }),
    [integrationId, filter, search, limit],
  );
  const reloadSoon = useCoalesced(() => !isPaused && list.reload());
  useLive({ topics: ["events"] }, (message) => {
    if (message.type === "snapshot") reloadSoon();
    else if (message.topic === "events" && message.event === "integration")
      if (message.integrationId === integrationId) reloadSoon();
  });
  const resume = () => {
    if (isPaused) list.reload();
    setPaused(!isPaused);
  };
  const clear = () =>
    ask({
      title: t("events.clear"),
      warning: t("events.clearWarning"),
      onConfirm: async () => {
        await integrationsApi.deleteEvents(integrationId);
        list.reload();
      },
    });
  const isFiltered = filter !== "all" || search !== "";
  return (
    <div class="flex flex-col gap-4">
      <div class="flex flex-wrap items-center justify-between gap-3">
        <div class="flex flex-wrap items-center gap-3">
          <Segments
            label={t("events.filter")}
            items={FILTERS.map((id) => ({ id, text: t(`events.filter.${id}`) }))}
            current={filter}
            onSelect={setFilter}
          />
          <SearchBox label={t("events.search")} value={search} onSearch={setSearch} />
        </div>
        <div class="flex flex-wrap gap-2">
          <button type="button" class="btn btn-sm" aria-pressed={isPaused} onClick={resume}>
            {isPaused ? <Play size={14} aria-hidden="true" /> : <Pause size={14} aria-hidden="true" />}
            {t(isPaused ? "events.follow" : "events.hold")}
          </button>
          {may("integrations:write") && stats.failed > 0 && (
            <ReplayAll integrationId={integrationId} onDone={list.reload} />
          )}
          {may("integrations:write") && (list.data?.length ?? 0) > 0 && (
            <button type="button" class="btn btn-ghost btn-sm text-error" onClick={clear}>
              {t("events.clear")}
            </button>
          )}
        </div>
      </div>
      <ResourceList
        title={t("integration.tabMessages")}
        isWithin
        list={list}
        isFiltered={isFiltered}
        icon={Inbox}
        none={[t("common.noMessagesYet"), t("events.noneHint")]}
        noMatch={[t("events.noMatch"), t("events.noMatchHint")]}
        isOrdered
      >
        {(event) => (
          <Line key={event.eventId} integrationId={integrationId} event={event} onChanged={list.reload} />
        )}
      </ResourceList>
      {list.data && list.data.length >= limit && limit < MOST && (
        <button type="button" class="btn btn-sm self-center" onClick={() => setLimit(MOST)}>
          {t("common.showMore")}
        </button>
      )}
    </div>
  );
}

function ReplayAll({ integrationId, onDone }: { integrationId: string; onDone: () => void }) {
  const action = useAction();
  const replay = () =>
    action.run(async () => {
      try {
        const { stored, failed } = await integrationsApi.replayAll(integrationId);
        toast(failed > 0 ? "error" : "success", t("events.replayedAll", { stored, failed }));
      } catch (error) {
        toast("error", errorText(error));
      }
      onDone();
    });
  return (
    <Button icon={RotateCw} size={14} disabled={action.busy} onClick={replay}>
      {t("events.replayAll")}
    </Button>
  );
}

const COLORS: Record<EventStatus, string> = {
  OK: "text-primary",
  ERROR: "text-error",
  DROPPED: "text-soft",
  PENDING: "text-accent",
};

interface LineProps {
  readonly integrationId: string;
  readonly event: IntegrationEvent;
  readonly onChanged: () => void;
}

function Line({ integrationId, event, onChanged }: LineProps) {
  const { eventId, status, stage, code, params, message, topic, createdAt, replayable, replayedAt } = event;
  const action = useAction();
  const replay = () =>
    action.run(async () => {
      try {
        const done = await integrationsApi.replay(integrationId, eventId);
        const isBad = done.status === "ERROR";
        const text = t(isBad ? "events.replayedBad" : "events.replayed", {
          message: serverPhrase(done, done.message),
        });
        toast(isBad ? "error" : "success", text);
      } catch (error) {
        toast("error", errorText(error));
      }
      onChanged();
    });
  return (
    <TimelineItem
      at={toMs(createdAt) ?? 0}
      state={t(`eventStatus.${status}`)}
      color={COLORS[status]}
      aside={
        status === "ERROR" &&
        replayable &&
        may("integrations:write") && (
          <button type="button" class="btn btn-sm mt-1" disabled={action.busy} onClick={replay}>
            {t("common.retry")}
          </button>
        )
      }
    >
      <p>
        {status === "ERROR" && (
          <span class="text-soft">{t(`eventStage.${stage}` as "eventStage.script")}: </span>
        )}
        {serverPhrase({ code, params }, message)}
      </p>
      <p class="text-sm text-soft">
        {topic}
        {replayedAt !== null && (
          <>
            {topic !== null && " · "}
            {t("events.again")} <Age ts={toMs(replayedAt)} />
          </>
        )}
      </p>
      <Details event={event} />
    </TimelineItem>
  );
}

function Details({ event: { payload, result } }: { event: IntegrationEvent }) {
  const [isOpen, setOpen] = useState(false);
  const parts = [
    [t("events.payload"), payload],
    [t("common.result"), result],
  ] as const;
  return (
    <details class="text-sm" onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary class="cursor-pointer text-soft">{t("events.show")}</summary>
      {isOpen &&
        parts.map(([name, value]) => (
          <div key={name} class="mt-2">
            <p class="text-soft">{name}</p>
            <pre class="reading max-h-72 overflow-auto rounded-field bg-base-200 p-3 break-words whitespace-pre-wrap">
              {typeof value === "string" ? value : JSON.stringify(value, null, 2)}
            </pre>
          </div>
        ))}
    </details>
  );
}
