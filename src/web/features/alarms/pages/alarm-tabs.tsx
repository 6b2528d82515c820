import { t } from "../../../platform/i18n/i18n.ts";
import { Tabs } from "../../../ui/page/tabs.tsx";

export const ALARM_TABS = ["list", "rules", "statistics"] as const;
export type AlarmTab = (typeof ALARM_TABS)[number];

export const AlarmTabs = ({ current }: { current: AlarmTab }) => (
  <Tabs
    label={t("nav.alarms")}
    current={current}
    items={ALARM_TABS.map((id) => ({
      id,
      text: t(`alarmTab.${id}`),
      href: id === "list" ? "/alarms" : `/alarms/${id}`,
    }))}
  />
);
