import { codeText } from "../../platform/i18n/error-texts.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { ConnectionPage, type ConnectionView } from "../field/connection-page.tsx";
import { intervalText, UnitCard } from "../field/unit-card.tsx";
import { type ModbusConnection, type ModbusKind, type ModbusUnit, modbusApi } from "./modbus-api.ts";
import { ModbusForm } from "./modbus-form.tsx";
import { addressOf, exceptionText } from "./modbus-texts.ts";
import { RegisterBrowser } from "./register-browser.tsx";
import { UnitPage } from "./unit-page.tsx";

const Settings = ({ connection }: { connection: ModbusConnection }) => (
  <>
    <span class="reading">{addressOf(connection)}</span> ·{" "}
    {t(`fieldOption.modbusConnection.framing.${connection.framing}`)} ·{" "}
    {t("modbus.timing", { timeout: connection.timeoutMs, pause: connection.pauseMs })}
  </>
);

function Unit(props: { unit: ModbusUnit; isOpen: boolean; onDeleted: () => void }) {
  const { modbusUnitId, connectionId, unitId, intervalMs, registers, health } = props.unit;
  const unit = t("modbus.unitLine", { unit: unitId, interval: intervalText(intervalMs) });
  return (
    <UnitCard
      {...props}
      path={`/modbus/${connectionId}/${modbusUnitId}`}
      line={`${unit} · ${plural("modbus.registers", registers.length)}`}
      isEmpty={registers.length === 0}
      refused={health.refused.map(({ key, exceptionCode }) => ({ key, text: exceptionText(exceptionCode) }))}
      onDelete={() => modbusApi.deleteUnit(connectionId, modbusUnitId)}
    />
  );
}

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
export const ModbusPages = ({
  connectionId,
  unitId,
}: {
  connectionId: string;
  unitId: string | undefined;
}) =>
  unitId === undefined ? (
    <ConnectionPage key={connectionId} connectionId={connectionId} view={view()} />
  ) : (
    <UnitPage key={unitId} connectionId={connectionId} modbusUnitId={unitId === "new" ? undefined : unitId} />
  );
