import { BellOff, BellRing, Check, ChevronsUp, type LucideIcon, Repeat } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { formatCount, toMs } from "../../../platform/i18n/format.ts";
import { t } from "../../../platform/i18n/i18n.ts";
import { language } from "../../../platform/preferences.ts";
import { may } from "../../../platform/session.ts";
import { Age } from "../../../ui/age.tsx";
import { Button } from "../../../ui/button.tsx";
import { ErrorNote } from "../../../ui/error-note.tsx";
import { useAction } from "../../../ui/use-form.ts";
import { type Alarm, alarmMessage, alarmsApi } from "../alarms-api.ts";
import { SeverityWord } from "../severity.tsx";

/** A part of an alarm's state: a sign and the words for it. */
const Sign = ({ icon: Icon, children }: { icon?: LucideIcon; children: ComponentChildren }) => (
  <span class="inline-flex min-w-0 items-center gap-1.5">
    {Icon && <Icon size={14} class="flex-none" aria-hidden="true" />}
    <span class="min-w-0 wrap-anywhere">{children}</span>
  </span>
);

/** `for the 3rd time`; languages without such endings have one text for all numbers. */
const timesText = (count: number): string => {
  const form = new Intl.PluralRules(language.value, { type: "ordinal" }).select(count);
  const ending = form === "one" || form === "two" || form === "few" ? form : "other";
  return t(`alarms.raisedNth.${ending}`, { count: formatCount(count) });
};

/** State of an alarm, active and acknowledged, each with a sign of its own. */
export function AlarmState({ alarm }: { alarm: Alarm }) {
  const { acknowledgedBy, clearedAt, clearedBy } = alarm;
  return (
    <span class="flex flex-wrap gap-x-4 gap-y-1">
      {clearedAt === undefined ? (
        <Sign icon={BellRing}>{t("common.active")}</Sign>
      ) : (
        <Sign icon={BellOff}>
          {clearedBy === undefined ? t("alarms.over") : t("alarms.clearedBy", { who: clearedBy })}{" "}
          <Age ts={toMs(clearedAt)} />
        </Sign>
      )}
      {acknowledgedBy === undefined ? (
        <Sign>{t("alarms.unacknowledged")}</Sign>
      ) : (
        <Sign icon={Check}>{t("alarms.acknowledgedBy", { who: acknowledgedBy })}</Sign>
      )}
      {alarm.raiseCount > 1 && <Sign icon={Repeat}>{timesText(alarm.raiseCount)}</Sign>}
      {alarm.escalationLevel > 1 && (
        <Sign icon={ChevronsUp}>{t("alarms.level", { level: String(alarm.escalationLevel) })}</Sign>
      )}
    </span>
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
        <Button icon={BellOff} size={14} disabled={action.busy} onClick={() => run("clear")}>
          {t("alarms.clear")}
        </Button>
      )}
      <ErrorNote error={action.error} />
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
  const isCleared = alarm.clearedAt !== undefined;
  return (
    <li class={`flex items-start gap-3 px-4 py-3 ${isCleared ? "text-soft" : ""}`} data-testid="alarm">
      {may("alarms:handle") && (
        <input
          type="checkbox"
          class="checkbox checkbox-sm"
          aria-label={t("alarms.select", { name: `${alarm.name}, ${alarm.deviceName}` })}
          checked={props.isSelected}
          onChange={(e) => props.onSelect(e.currentTarget.checked)}
        />
      )}
      <div class="flex min-w-0 flex-1 flex-wrap items-start gap-x-6 gap-y-2">
        <div class="flex w-full flex-none flex-wrap items-baseline justify-between gap-x-3 sm:block sm:w-32">
          <SeverityWord severity={alarm.severity} isCleared={isCleared} />
          <p class="text-sm text-soft">
            <Age ts={toMs(alarm.raisedAt)} />
          </p>
        </div>
        <div class="min-w-0 flex-[2_1_18rem]">
          <p class="wrap-anywhere">
            <a
              class={`link link-hover ${isCleared ? "" : "font-semibold"}`}
              href={`/alarms/${alarm.alarmId}`}
            >
              {alarm.name}
            </a>
            {" · "}
            <a class="link link-hover" href={`/devices/${alarm.deviceId}`}>
              {alarm.deviceName}
            </a>
          </p>
          {message !== alarm.name && <p class="wrap-anywhere">{message}</p>}
          <p class="mt-1 text-sm text-soft">
            <AlarmState alarm={alarm} />
          </p>
        </div>
        <AlarmButtons alarm={alarm} onChanged={props.onChanged} />
      </div>
    </li>
  );
}
