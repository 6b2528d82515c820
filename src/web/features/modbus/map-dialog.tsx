import type { Text } from "../../../lib/texts/text.ts";
import { serverText } from "../../platform/i18n/error-texts.ts";
import { type MessageKey, plural, t } from "../../platform/i18n/i18n.ts";
import { CsvDialog, type MapDialogProps, type MapSource, TemplateDialog } from "../field/map-dialogs.tsx";
import { type ModbusRegister, modbusApi } from "./modbus-api.ts";

const EXAMPLE =
  "key;area;address;type;scale;writable\nspeed;holding;1;UINT16;0.1;\nsetpoint;holding;10;FLOAT32;;yes";

/** Rules of the columns, by their name. */
const rules: Readonly<Record<string, Extract<MessageKey, `modbusProblem.${string}`>>> = {
  key: "modbusProblem.needed",
  area: "modbusProblem.area",
  address: "modbusProblem.address",
  type: "modbusProblem.type",
  order: "modbusProblem.order",
  length: "modbusProblem.length",
  bit: "modbusProblem.bit",
  bits: "modbusProblem.bits",
  scale: "modbusProblem.number",
  offset: "modbusProblem.number",
  absent: "modbusProblem.number",
  intervalMs: "modbusProblem.intervalMs",
};

function problemText(problem: Text): string {
  if (problem.code !== "modbus_rule.column") return serverText(problem);
  const column = String(problem.params.column);
  const rule = Object.hasOwn(rules, column) ? rules[column] : undefined;
  return `${t("modbus.csvColumn", { column })} ${t(rule ?? "modbusProblem.column")}`;
}

async function readMap(csv: string) {
  const { registers, problems } = await modbusApi.readMap(csv);
  return { entries: registers, problems };
}

const templates = async () =>
  (await modbusApi.templates()).map(({ kind, registers, ...template }) => ({
    ...template,
    text: `${t(`modbusKind.${kind}`)} · ${plural("modbus.registers", registers.length)}`,
    entries: registers,
  }));

/** Registers from a table or a template. */
export const ModbusMapDialog = (props: MapDialogProps<ModbusRegister> & { source: MapSource }) =>
  props.source === "csv" ? (
    <CsvDialog
      {...props}
      example={EXAMPLE}
      hint={t("modbus.csvHint")}
      read={readMap}
      problemText={problemText}
    />
  ) : (
    <TemplateDialog {...props} hint={t("modbus.templateHint")} list={templates} />
  );
