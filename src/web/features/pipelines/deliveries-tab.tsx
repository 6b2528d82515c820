import { RotateCw, Send, Trash2 } from "lucide-preact";
import { useState } from "preact/hooks";
import { serverPhrase } from "../../platform/i18n/error-texts.ts";
import { formatCount, formatDate, toMs } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { usePages } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { useRefresh } from "../../platform/use-refresh.ts";
import { Button } from "../../ui/button.tsx";
import { ask } from "../../ui/confirmation.tsx";
import { Segments } from "../../ui/form/segments.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { errorText } from "../../ui/page/error-text.ts";
import { ResourceList } from "../../ui/page/resource-list.tsx";
import { TimelineItem } from "../../ui/page/timeline.tsx";
import { NewestError } from "../../ui/state/newest-error.tsx";
import { nameOf } from "../devices/device-names.ts";
import { type Delivery, type DeliveryState, type Pipeline, pipelinesApi } from "./pipelines-api.ts";

const DELIVERIES_PER_PAGE = 25;
const REFRESH_MS = 5_000;

interface Props {
  readonly pipeline: Pipeline;
  readonly onChanged: () => void;
}

/** Webhooks that wait for their server, and dead ones. */
export function DeliveriesTab({ pipeline, onChanged }: Props) {
  const { pipelineId, webhooks, steps } = pipeline;
  const [state, setState] = useState<DeliveryState | "all">("all");
  const list = usePages(
    (limit) => pipelinesApi.deliveries({ pipelineId, state: state === "all" ? undefined : state, limit }),
    [state],
    DELIVERIES_PER_PAGE,
  );
  useRefresh(list.reload, REFRESH_MS);
  const action = useAction();
  const changed = () => {
    list.reload();
    onChanged();
  };
  const act = (work: () => Promise<string | undefined>) =>
    action.run(async () => {
      try {
        const done = await work();
        if (done !== undefined) toast("success", done);
      } catch (error) {
        toast("error", errorText(error));
      }
      changed();
    });
  const none = steps.some(({ type }) => type === "webhook_forward")
    ? ([t("delivery.noneYet"), t("delivery.noneYetHint")] as const)
    : ([t("delivery.noStep"), t("delivery.noStepHint")] as const);
  return (
    <div class="flex flex-col gap-4">
      <Counts webhooks={webhooks} />
      <ResourceList
        title={t("common.webhooks")}
        isWithin
        list={list}
        filters={
          <>
            <Segments
              label={t("delivery.filter")}
              items={[
                { id: "all", text: t("delivery.filterAll") },
                { id: "waiting", text: t("delivery.filterWaiting") },
                { id: "dead", text: t("delivery.filterDead") },
              ]}
              current={state}
              onSelect={setState}
            />
            {may("pipelines:write") && (
              <ForAll pipeline={pipeline} act={act} busy={action.busy} onDeleted={changed} />
            )}
          </>
        }
        icon={Send}
        none={none}
        moreText={t("delivery.more")}
      >
        {(delivery) => (
          <DeliveryRow key={delivery.deliveryId} delivery={delivery} act={act} busy={action.busy} />
        )}
      </ResourceList>
    </div>
  );
}

interface ActionProps {
  readonly act: (work: () => Promise<string | undefined>) => void;
  readonly busy: boolean;
}

/** Buttons that retry or delete all webhooks of a state. */
function ForAll({
  pipeline,
  act,
  busy,
  onDeleted,
}: ActionProps & { pipeline: Pipeline; onDeleted: () => void }) {
  const { pipelineId, webhooks } = pipeline;
  const deleteAll = (state: DeliveryState, text: string) => (
    <button
      type="button"
      class="btn btn-ghost btn-sm text-error"
      onClick={() =>
        ask({
          title: text,
          warning: t("delivery.deleteWarning"),
          onConfirm: async () => {
            const { deleted } = await pipelinesApi.deleteAll(pipelineId, state);
            toast("success", plural("delivery.deletedCount", deleted));
            onDeleted();
          },
        })
      }
    >
      {text}
    </button>
  );
  return (
    <>
      {webhooks.dead > 0 && (
        <Button
          icon={RotateCw}
          disabled={busy}
          onClick={() =>
            act(async () => plural("delivery.replayed", (await pipelinesApi.replayAll(pipelineId)).replayed))
          }
        >
          {t("delivery.replayAll")}
        </Button>
      )}
      {webhooks.dead > 0 && deleteAll("dead", t("delivery.deleteDead"))}
      {webhooks.waiting > 0 && deleteAll("waiting", t("delivery.deleteWaiting"))}
    </>
  );
}

function Counts({ webhooks }: Pick<Pipeline, "webhooks">) {
  const { sent, waiting, failed, dead, lastErrorText, lastErrorAt } = webhooks;
  const counters = [
    [sent, t("delivery.sent")],
    [waiting, t("delivery.waiting")],
    [failed, t("delivery.failed")],
    [dead, t("delivery.dead")],
  ] as const;
  return (
    <div class="flex flex-col gap-1">
      <dl class="flex flex-wrap gap-x-8 gap-y-2" data-testid="webhook-counts">
        {counters.map(([count, text]) => (
          <div key={text} class="flex flex-col-reverse">
            <dt class="text-sm text-soft">{text}</dt>
            <dd class="reading text-xl font-semibold">{formatCount(count)}</dd>
          </div>
        ))}
      </dl>
      <NewestError error={lastErrorText} at={lastErrorAt} class="max-w-3xl" />
    </div>
  );
}

function DeliveryRow({ delivery, act, busy }: ActionProps & { delivery: Delivery }) {
  const { deliveryId, state, attempts, lastErrorText, createdAt, nextAttemptAt, url, method } = delivery;
  const [body, setBody] = useState<string | undefined>(undefined);
  const next = toMs(nextAttemptAt);
  return (
    <TimelineItem
      at={toMs(createdAt) ?? 0}
      state={t(state === "dead" ? "delivery.filterDead" : "delivery.filterWaiting")}
      color={state === "dead" ? "text-error" : "text-soft"}
      aside={
        may("pipelines:write") && (
          <div class="flex gap-1 sm:justify-end">
            {state === "dead" && (
              <button
                type="button"
                class="btn btn-sm"
                disabled={busy}
                onClick={() =>
                  act(async () => {
                    await pipelinesApi.replay(deliveryId);
                    return plural("delivery.replayed", 1);
                  })
                }
              >
                {t("delivery.replay")}
              </button>
            )}
            <IconButton
              icon={Trash2}
              label={t("delivery.delete")}
              class="btn btn-ghost btn-square btn-sm text-error"
              disabled={busy}
              onClick={() =>
                act(async () => {
                  await pipelinesApi.deleteDelivery(deliveryId);
                  return plural("delivery.deletedCount", 1);
                })
              }
            />
          </div>
        )
      }
    >
      <p class="font-medium">{nameOf(delivery.deviceId)}</p>
      <p class="text-sm text-soft">
        {method} {url}
      </p>
      <p class="text-sm">
        {attempts > 0 && plural("delivery.attempts", attempts)}
        {lastErrorText !== null && `: ${serverPhrase(lastErrorText)}`}
        {attempts > 0 && next !== undefined && ` · ${t("delivery.next", { time: formatDate(next, "time") })}`}
      </p>
      <details
        class="mt-1 text-sm"
        onToggle={(e) => {
          if (!e.currentTarget.open || body !== undefined) return;
          pipelinesApi.delivery(deliveryId).then(
            (whole) => setBody(whole.body),
            (error: unknown) => setBody(errorText(error)),
          );
        }}
      >
        <summary class="cursor-pointer text-soft">{t("delivery.show")}</summary>
        <pre class="reading mt-1 max-h-64 overflow-auto rounded-field bg-base-200 p-3 break-words whitespace-pre-wrap">
          {body ?? t("common.loading")}
        </pre>
      </details>
    </TimelineItem>
  );
}
