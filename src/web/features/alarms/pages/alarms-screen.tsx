import { useRoute } from "preact-iso";
import { Page } from "../../../ui/page/page.tsx";
import { AlarmList } from "./alarm-list.tsx";
import { AlarmPage } from "./alarm-page.tsx";
import { RulesPage } from "./rules-page.tsx";
import { StatisticsPage } from "./statistics-page.tsx";

/** Screen of all alarms, of the rules and figures about them, or of a single alarm with its events. */
export function AlarmsScreen() {
  const { alarmId } = useRoute().params;
  return <Page>{contentOf(alarmId)}</Page>;
}

function contentOf(alarmId: string | undefined) {
  if (alarmId === undefined || alarmId === "") return <AlarmList />;
  if (alarmId === "rules") return <RulesPage />;
  if (alarmId === "statistics") return <StatisticsPage />;
  return <AlarmPage key={alarmId} alarmId={alarmId} />;
}
