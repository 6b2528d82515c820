import { Pencil } from "lucide-preact";
import { durationText } from "../../platform/i18n/duration-text.ts";
import { formatCount, formatValue, toMs } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { Age } from "../../ui/age.tsx";
import { ask } from "../../ui/confirmation.tsx";
import { DeleteButton } from "../../ui/row-buttons.tsx";
import { exceptionText, Problem } from "./connection-state.tsx";
import { type ModbusUnit, modbusApi } from "./modbus-api.ts";

/** Values that are shown; the device has all of them. */
const VALUES_SHOWN = 12;

interface Props {
  readonly unit: ModbusUnit;
  /** Whether the connection is open: otherwise nothing is read. */
  readonly isOpen: boolean;
  readonly onDeleted: () => void;
}

/** A unit with its health and newest values. */
export function UnitCard({ unit, isOpen, onDeleted }: Props) {
  const { modbusUnitId, connectionId, deviceId, deviceName, unitId, intervalMs, registers, health } = unit;
  const path = `/modbus/${connectionId}/${modbusUnitId}`;
  return (
    <li class="flex flex-col gap-3 py-4 first:pt-0" data-testid="modbus-unit">
      <div class="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div class="min-w-0">
          <p class="flex flex-wrap items-center gap-x-2.5 font-medium">
            <span class={`lamp ${isOpen ? lampOf(unit) : ""}`} aria-hidden="true" />
            <a class="link link-hover wrap-anywhere" href={`/devices/${deviceId}`}>
              {deviceName}
            </a>
          </p>
          <p class="text-sm text-soft">
            {t("modbus.unitLine", { unit: unitId, interval: intervalText(intervalMs) })} ·{" "}
            {plural("modbus.registers", registers.length)}
          </p>
        </div>
        {may("integrations:write") && <Actions path={path} unit={unit} onDeleted={onDeleted} />}
      </div>
      <p class="text-sm">
        {t("modbus.lastRead")}: <Age ts={toMs(health.lastReadAt)} never={t("modbus.notRead")} /> ·{" "}
        {plural("modbus.answered", health.answered)} ·{" "}
        <span class={health.failed > 0 ? "text-warning" : "text-soft"}>
          {plural("modbus.failed", health.failed)}
        </span>
      </p>
      {registers.length === 0 && <p class="text-sm text-warning">{t("modbus.noRegisters")}</p>}
      {health.lastError && isFailing(unit) && <Problem problem={health.lastError} />}
      {health.refused.length > 0 && <Refused refused={health.refused} />}
      {health.values.length > 0 && <Values unit={unit} />}
    </li>
  );
}

const intervalText = (ms: number): string => (ms < 1_000 ? `${formatCount(ms)} ms` : durationText(ms));

/** Whether the newest read failed. A register that the device refuses is shown by itself. */
const isFailing = ({ health: { lastReadAt, lastErrorAt, lastError } }: ModbusUnit): boolean =>
  lastErrorAt !== null &&
  lastError?.code !== "modbus.register_refused" &&
  (lastReadAt === null || lastErrorAt >= lastReadAt);

function lampOf(unit: ModbusUnit): string {
  if (isFailing(unit)) return "lamp-bad";
  if (unit.health.lastReadAt === null) return "";
  return unit.health.refused.length > 0 ? "lamp-wait" : "lamp-on";
}

function Refused({ refused }: { refused: ModbusUnit["health"]["refused"] }) {
  return (
    <div class="border-l-4 border-l-warning pl-3 text-sm" role="status">
      <p>{t("modbus.refused")}</p>
      <ul>
        {refused.map(({ key, exceptionCode }) => (
          <li key={key} class="wrap-anywhere">
            <span class="reading">{key}</span> – {exceptionText(exceptionCode)}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Values({ unit: { health, deviceId } }: { unit: ModbusUnit }) {
  const { values } = health;
  return (
    <>
      <dl
        class="grid grid-cols-[repeat(auto-fill,minmax(9rem,1fr))] gap-x-6 gap-y-2"
        aria-label={t("common.newestValues")}
      >
        {values.slice(0, VALUES_SHOWN).map(({ key, value }) => (
          <div key={key} class="min-w-0">
            <dt class="truncate text-sm text-soft" title={key}>
              {key}
            </dt>
            <dd class="reading truncate">{formatValue(value)}</dd>
          </div>
        ))}
      </dl>
      {values.length > VALUES_SHOWN && (
        <a class="link text-sm" href={`/devices/${deviceId}`}>
          {t("modbus.moreValues", { count: formatCount(values.length) })}
        </a>
      )}
    </>
  );
}

function Actions({ path, unit, onDeleted }: { path: string; unit: ModbusUnit; onDeleted: () => void }) {
  const { connectionId, modbusUnitId, deviceName: name } = unit;
  return (
    <div class="flex gap-1">
      <a
        class="btn btn-ghost btn-sm"
        href={path}
        aria-label={t("modbus.editUnit", { name })}
        title={t("modbus.editUnit", { name })}
      >
        <Pencil size={16} aria-hidden="true" />
      </a>
      <DeleteButton
        label={t("modbus.deleteUnit", { name })}
        onClick={() =>
          ask({
            title: t("modbus.deleteUnitTitle"),
            warning: t("modbus.deleteUnitWarning", { name }),
            onConfirm: async () => {
              await modbusApi.deleteUnit(connectionId, modbusUnitId);
              toast("success", t("modbus.unitDeleted", { name }));
              onDeleted();
            },
          })
        }
      />
    </div>
  );
}
