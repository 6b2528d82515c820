import { Download } from "lucide-preact";
import { t } from "../../../platform/i18n/i18n.ts";
import { Checkbox } from "../../../ui/form/choice.tsx";
import { useAction } from "../../../ui/form/use-form.ts";
import { ErrorNote } from "../../../ui/page/error-note.tsx";
import { MENU_ITEM, MoreMenu } from "../../../ui/page/more-menu.tsx";
import { canNotify, hasNotifications, hasSound, setNotifications, setSound } from "../alarm-alerts.ts";
import type { AlarmFilter } from "../alarms-api.ts";
import { downloadAlarms } from "./alarm-csv.ts";

/** Menu with the alarms as a file, and the signals of new alarms in this browser. */
export function AlarmMenu({ query, total }: { query: Omit<AlarmFilter, "limit">; total: number }) {
  const action = useAction();
  return (
    <>
      <ErrorNote error={action.error} />
      <MoreMenu label={t("alarms.menu")}>
        {() => (
          <>
            <button
              type="button"
              class={MENU_ITEM}
              disabled={action.busy || total === 0}
              onClick={() => action.run(() => downloadAlarms(query))}
            >
              <Download size={14} aria-hidden="true" />
              {t("alarms.downloadCsv")}
            </button>
            <p class="border-t border-base-300 pt-3 text-sm font-medium">{t("alarms.alerts")}</p>
            <Checkbox checked={hasSound.value} hint={t("alarms.soundHint")} onCheck={setSound}>
              {t("alarms.sound")}
            </Checkbox>
            <Checkbox
              checked={hasNotifications.value}
              disabled={!canNotify()}
              hint={t(canNotify() ? "alarms.notificationsHint" : "alarms.notificationsNeedTls")}
              onCheck={(isOn) => action.run(() => setNotifications(isOn))}
            >
              {t("alarms.notifications")}
            </Checkbox>
          </>
        )}
      </MoreMenu>
    </>
  );
}
