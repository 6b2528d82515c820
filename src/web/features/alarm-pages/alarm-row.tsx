import { Check, X } from "lucide-preact";
import { formatCount, toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { may } from "../../platform/session.ts";
import { Age } from "../../ui/age.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { useAction } from "../../ui/use-form.ts";
import { type Alarm, alarmMessage, alarmsApi } from "../alarms/alarms-api.ts";
import { SeverityWord } from "../alarms/severity.tsx";

/** Shows in a sentence whether the alarm is active and acknowledged. */
export function AlarmState({ alarm }: { alarm: Alarm }) {
  const { acknowledgedBy, clearedAt, clearedBy } = alarm;
  return (
    <>
      {clearedAt !== undefined && (
        <span>
          {clearedBy === undefined ? t("alarms.over") : t("alarms.clearedBy", { who: clearedBy })}{" "}
          <Age ts={toMs(clearedAt)} />
          {" · "}
        </span>
      )}
      {alarm.raiseCount > 1 && (
        <span>{`${t("alarms.raised", { count: formatCount(alarm.raiseCount) })} · `}</span>
      )}
      <span>
        {acknowledgedBy === undefined
          ? t("alarms.unacknowledged")
          : t("alarms.acknowledgedBy", { who: acknowledgedBy })}
      </span>
      {alarm.escalationLevel > 1 && (
        <span>{` · ${t("alarms.level", { level: String(alarm.escalationLevel) })}`}</span>
      )}
    </>
  );
}

/** Acknowledge and clear, where there is something to do and the person may do it. */
export function AlarmButtons({ alarm, onChanged }: { alarm: Alarm; onChanged: () => void }) {
  const action = useAction();
  if (!may("alarms:handle")) return null;
  const run = (subject: "acknowledge" | "clear") =>
    action.run(async () => {
      await alarmsApi[subject]([alarm.alarmId]);
      onChanged();
    });
  return (
    <div class="flex flex-wrap items-center gap-2">
      {alarm.acknowledgedAt === undefined && (
        <Button icon={Check} size={14} disabled={action.busy} onClick={() => run("acknowledge")}>
          {t("alarms.acknowledge")}
        </Button>
      )}
      {alarm.clearedAt === undefined && (
        <Button icon={X} size={14} disabled={action.busy} onClick={() => run("clear")}>
          {t("alarms.clear")}
        </Button>
      )}
      {action.error !== undefined && <ErrorNote error={action.error} />}
    </div>
  );
}

export function AlarmRow(props: {
  alarm: Alarm;
  isSelected: boolean;
  onSelect: (isSelected: boolean) => void;
  onChanged: () => void;
}) {
  const { alarm } = props;
  const message = alarmMessage(alarm);
  return (
    <li class="flex items-start gap-3 px-4 py-3" data-testid="alarm">
      {may("alarms:handle") && (
        <input
          type="checkbox"
          class="checkbox checkbox-sm mt-1"
          aria-label={t("alarms.select", { name: message })}
          checked={props.isSelected}
          onChange={(e) => props.onSelect(e.currentTarget.checked)}
        />
      )}
      <div class="flex min-w-0 flex-1 flex-wrap items-center gap-x-6 gap-y-2">
        <div class="w-32 flex-none">
          <SeverityWord severity={alarm.severity} isCleared={alarm.clearedAt !== undefined} />
          <p class="text-sm text-soft">
            <Age ts={toMs(alarm.raisedAt)} />
          </p>
        </div>
        <div class="min-w-0 flex-[2_1_18rem]">
          <a
            class={`link link-hover wrap-anywhere ${alarm.clearedAt === undefined ? "font-medium" : "text-soft"}`}
            href={`/alarms/${alarm.alarmId}`}
          >
            {message}
          </a>
          <p class="text-sm text-soft wrap-anywhere">
            {alarm.name !== message && `${alarm.name} · `}
            <a class="link link-hover" href={`/devices/${alarm.deviceId}`}>
              {alarm.deviceName}
            </a>
          </p>
          <p class="text-sm text-soft wrap-anywhere">
            <AlarmState alarm={alarm} />
          </p>
        </div>
        <AlarmButtons alarm={alarm} onChanged={props.onChanged} />
      </div>
    </li>
  );
}
