import { serverPhrase } from "../../../platform/i18n/error-texts.ts";
import { formatDate, toMs } from "../../../platform/i18n/format.ts";
import { t } from "../../../platform/i18n/i18n.ts";
import { useLive } from "../../../platform/live.ts";
import { useKept } from "../../../platform/resource.ts";
import { may } from "../../../platform/session.ts";
import { useCoalesced } from "../../../platform/use-coalesced.ts";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { PageHead } from "../../../ui/page/page-head.tsx";
import { TimelineItem } from "../../../ui/page/timeline.tsx";
import { Trail } from "../../../ui/page/trail.tsx";
import { type Alarm, type AlarmEvent, alarmMessage, alarmsApi } from "../alarms-api.ts";
import { SeverityWord } from "../severity.tsx";
import { AlarmCurve } from "./alarm-curve.tsx";
import { AlarmButtons, AlarmState } from "./alarm-row.tsx";
import { CommentForm } from "./comment-form.tsx";
import { WhyRule } from "./why-rule.tsx";

const stamp = (time: string): string => formatDate(toMs(time) ?? 0, "zoned");

/** Page of an alarm: its state, its reason and its history. */
export function AlarmPage({ alarmId }: { alarmId: string }) {
  const loaded = useKept(
    async () => ({ alarm: await alarmsApi.get(alarmId), events: await alarmsApi.events(alarmId) }),
    [alarmId],
  );
  const reloadSoon = useCoalesced(loaded.reload);
  useLive({ topics: ["alarms"] }, (message) => {
    if (message.type === "snapshot") reloadSoon();
    else if (message.topic === "alarms" && message.alarmId === alarmId) reloadSoon();
  });
  return (
    <Loaded of={loaded} isPage>
      {(data) => <AlarmContent {...data} onChanged={loaded.reload} />}
    </Loaded>
  );
}

function AlarmContent(props: { alarm: Alarm; events: readonly AlarmEvent[]; onChanged: () => void }) {
  const { alarm, events, onChanged } = props;
  const message = alarmMessage(alarm);
  return (
    <>
      <Trail
        steps={[
          { href: "/alarms", text: t("nav.alarms") },
          { href: `/devices/${alarm.deviceId}`, text: alarm.deviceName },
        ]}
      />
      <PageHead
        title={alarm.name}
        detail={message !== alarm.name && <p class="mt-1 max-w-3xl wrap-anywhere">{message}</p>}
      >
        <AlarmButtons alarm={alarm} onChanged={onChanged} />
      </PageHead>
      <div class="panel flex flex-wrap items-center gap-x-6 gap-y-2 p-4 text-sm">
        <SeverityWord severity={alarm.severity} isCleared={alarm.clearedAt !== undefined} />
        <AlarmState alarm={alarm} />
        <span class="text-soft">{t("alarms.since", { time: stamp(alarm.raisedAt) })}</span>
      </div>
      <AlarmCurve alarm={alarm} events={events} />
      <WhyRule alarm={alarm} />
      <section class="panel flex flex-col gap-4 p-4" aria-labelledby="alarm-history">
        <h2 id="alarm-history" class="font-semibold">
          {t("common.history")}
        </h2>
        <ol class="-mx-4 divide-y divide-base-300/60">
          {events.map((event) => (
            <EventItem key={event.eventId} event={event} alarm={alarm} />
          ))}
        </ol>
        {may("alarms:handle") && (
          <CommentForm
            onSave={async (text) => {
              await alarmsApi.comment(alarm.alarmId, text);
              onChanged();
            }}
          />
        )}
      </section>
    </>
  );
}

/** Returns the text of an event in the language of the reader, with the current message of the alarm. */
function eventText(event: AlarmEvent, alarm: Alarm): string {
  const { code, params, message } = event;
  const isPresent = params.message === alarm.message;
  return serverPhrase(
    { code, params: isPresent ? { ...params, message: alarmMessage(alarm) } : params },
    message,
  );
}

function EventItem({ event, alarm }: { event: AlarmEvent; alarm: Alarm }) {
  return (
    <TimelineItem
      testId="alarm-event"
      at={toMs(event.createdAt) ?? 0}
      state={t(`alarmEvent.${event.eventType}`)}
      aside={event.by}
    >
      {eventText(event, alarm)}
    </TimelineItem>
  );
}
