import { codeText } from "../../platform/i18n/error-texts.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import type { ConnectionView } from "../field/connection-page.tsx";
import { EntryPages, entryUnitCard } from "../field/entry-pages.tsx";
import { intervalText } from "../field/unit-card.tsx";
import { type ModbusConnection, type ModbusKind, modbusApi } from "./modbus-api.ts";
import { ModbusForm } from "./modbus-form.tsx";
import { addressOf, exceptionText } from "./modbus-texts.ts";
import { RegisterBrowser } from "./register-browser.tsx";
import { unitView } from "./unit-page.tsx";

const Settings = ({ connection }: { connection: ModbusConnection }) => (
  <>
    <span class="reading">{addressOf(connection)}</span> ·{" "}
    {t(`fieldOption.modbusConnection.framing.${connection.framing}`)} ·{" "}
    {t("modbus.timing", { timeout: connection.timeoutMs, pause: connection.pauseMs })}
  </>
);

const Unit = entryUnitCard<ModbusKind>({
  api: modbusApi,
  path: "/modbus",
  idOf: ({ modbusUnitId }) => modbusUnitId,
  entriesOf: ({ registers }) => registers,
  lineOf: ({ unitId, intervalMs }) =>
    t("modbus.unitLine", { unit: unitId, interval: intervalText(intervalMs) }),
  countText: (count) => plural("modbus.registers", count),
  refusedOf: ({ health }) =>
    health.refused.map(({ key, exceptionCode }) => ({ key, text: exceptionText(exceptionCode) })),
});

const view = (): ConnectionView<ModbusKind> => ({
  api: modbusApi,
  path: "/modbus",
  faults: "modbus_connection",
  source: "template",
  unitsHint: t("modbus.unitsHint"),
  forbidden: codeText("modbus.all_devices_needed"),
  Settings,
  Form: ModbusForm,
  Unit,
  Browser: RegisterBrowser,
});

/** A Modbus connection, or one of its units. */
export const ModbusPages = (props: { connectionId: string; unitId: string | undefined }) => (
  <EntryPages view={view()} unitView={unitView()} {...props} />
);
