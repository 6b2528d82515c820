import { BellOff, BellRing, Check, ChevronsUp, type LucideIcon, Repeat } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { formatCount, toMs } from "../../../platform/i18n/format.ts";
import { t } from "../../../platform/i18n/i18n.ts";
import { language } from "../../../platform/preferences.ts";
import { may } from "../../../platform/session.ts";
import { Button } from "../../../ui/button.tsx";
import { useAction } from "../../../ui/form/use-form.ts";
import { IconButton } from "../../../ui/icon-button.tsx";
import { ErrorNote } from "../../../ui/page/error-note.tsx";
import { Age } from "../../../ui/state/age.tsx";
import { type Alarm, alarmMessage, alarmsApi } from "../alarms-api.ts";
import { SeverityWord } from "../severity.tsx";

/** Part of the state of an alarm: a sign with its text; on one line if it is short. */
const Sign = (props: {
  icon?: LucideIcon;
  isShort: boolean;
  title?: string;
  children: ComponentChildren;
}) => {
  const { icon: Icon, isShort } = props;
  return (
    <span class="inline-flex max-w-full min-w-0 items-center gap-1.5" title={props.title}>
      {Icon && <Icon size={14} class="flex-none" aria-hidden="true" />}
      <span class={`min-w-0 ${isShort ? "truncate" : "wrap-anywhere"}`}>{props.children}</span>
    </span>
  );
};

/** Returns `for the 3rd time`. Languages without such endings have one text for all numbers. */
const timesText = (count: number): string => {
  const form = new Intl.PluralRules(language.value, { type: "ordinal" }).select(count);
  const ending = form === "one" || form === "two" || form === "few" ? form : "other";
  return t(`alarms.raisedNth.${ending}`, { count: formatCount(count) });
};

/** State of an alarm, each part with a sign of its own. The short form omits the usual parts: active, and not acknowledged. */
export function AlarmState({ alarm, isShort = false }: { alarm: Alarm; isShort?: boolean }) {
  const { acknowledgedBy, clearedAt, clearedBy } = alarm;
  const cleared = clearedBy === undefined ? t("alarms.over") : t("alarms.clearedBy", { who: clearedBy });
  const acknowledged = t("alarms.acknowledgedBy", { who: acknowledgedBy ?? "" });
  return (
    <span class="flex flex-wrap gap-x-4 gap-y-1">
      {clearedAt === undefined ? (
        !isShort && (
          <Sign icon={BellRing} isShort={isShort}>
            {t("common.active")}
          </Sign>
        )
      ) : (
        <Sign icon={BellOff} isShort={isShort} title={cleared}>
          {isShort ? t("alarms.over") : cleared} <Age ts={toMs(clearedAt)} />
        </Sign>
      )}
      {acknowledgedBy === undefined ? (
        !isShort && <Sign isShort={isShort}>{t("alarms.unacknowledged")}</Sign>
      ) : (
        <Sign icon={Check} isShort={isShort} title={acknowledged}>
          {acknowledged}
        </Sign>
      )}
      {alarm.raiseCount > 1 && (
        <Sign icon={Repeat} isShort={isShort}>
          {timesText(alarm.raiseCount)}
        </Sign>
      )}
      {alarm.escalationLevel > 1 && (
        <Sign icon={ChevronsUp} isShort={isShort}>
          {t("alarms.level", { level: String(alarm.escalationLevel) })}
        </Sign>
      )}
    </span>
  );
}

/** Buttons to acknowledge and clear, if applicable and allowed; the short form without texts. */
export function AlarmButtons(props: { alarm: Alarm; isShort?: boolean; onChanged: () => void }) {
  const { alarm, isShort, onChanged } = props;
  const action = useAction();
  if (!may("alarms:handle")) return null;
  const run = (subject: "acknowledge" | "clear") =>
    action.run(async () => {
      await alarmsApi[subject]([alarm.alarmId]);
      onChanged();
    });
  const button = (subject: "acknowledge" | "clear", icon: LucideIcon, isThere: boolean) => {
    const text = t(`alarms.${subject}`);
    const shared = { icon, size: 14, disabled: action.busy, onClick: () => run(subject) };
    // The place stays, so that the buttons of rows stand below each other.
    if (!isThere) return isShort && <span class="hidden w-8 sm:block" aria-hidden="true" />;
    if (isShort) return <IconButton {...shared} class="btn btn-sm btn-square" label={text} />;
    return <Button {...shared}>{text}</Button>;
  };
  return (
    <div class="flex flex-wrap items-center gap-2">
      {button("acknowledge", Check, alarm.acknowledgedAt === undefined)}
      {button("clear", BellOff, alarm.clearedAt === undefined)}
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
    <li
      class={`flex items-start gap-3 px-4 py-2 xl:items-center ${isCleared ? "text-soft" : ""}`}
      data-testid="alarm"
    >
      {may("alarms:handle") && (
        <input
          type="checkbox"
          class="checkbox checkbox-sm mt-0.5 xl:mt-0"
          aria-label={t("alarms.select", { name: `${alarm.name}, ${alarm.deviceName}` })}
          checked={props.isSelected}
          onChange={(e) => props.onSelect(e.currentTarget.checked)}
        />
      )}
      <div class="flex min-w-0 flex-1 flex-wrap items-center gap-x-4 gap-y-1 xl:grid xl:grid-cols-[6.5rem_minmax(0,1.2fr)_minmax(0,1.5fr)_minmax(0,0.9fr)_5.5rem_4.6rem]">
        <div class="flex w-full flex-none flex-wrap items-baseline justify-between gap-x-3 sm:w-auto">
          <SeverityWord severity={alarm.severity} isCleared={isCleared} />
          <span class="text-sm text-soft sm:hidden">
            <Age ts={toMs(alarm.raisedAt)} />
          </span>
        </div>
        <p class="min-w-0 flex-[1_1_16rem] wrap-anywhere">
          <a class={`link link-hover ${isCleared ? "" : "font-semibold"}`} href={`/alarms/${alarm.alarmId}`}>
            {alarm.name}
          </a>
          {" · "}
          <a class="link link-hover" href={`/devices/${alarm.deviceId}`}>
            {alarm.deviceName}
          </a>
        </p>
        <p class="min-w-0 flex-[1_1_18rem] text-sm wrap-anywhere empty:hidden xl:empty:block">
          {message !== alarm.name && message}
        </p>
        <span class="min-w-0 text-sm text-soft">
          <AlarmState alarm={alarm} isShort />
        </span>
        <span class="hidden flex-none text-sm text-soft sm:block">
          <Age ts={toMs(alarm.raisedAt)} />
        </span>
        <AlarmButtons alarm={alarm} isShort onChanged={props.onChanged} />
      </div>
    </li>
  );
}
