import { useState } from "preact/hooks";
import type { Text } from "../../../lib/texts/text.ts";
import { serverText } from "../../platform/i18n/error-texts.ts";
import { type MessageKey, plural, t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Field } from "../../ui/field.tsx";
import { FormButtons } from "../../ui/form-buttons.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { TextAreaField } from "../../ui/text-area-field.tsx";
import { useAction } from "../../ui/use-form.ts";
import { type ModbusRegister, type ModbusTemplate, modbusApi, type RegisterMap } from "./modbus-api.ts";

interface Props {
  readonly onClose: () => void;
  readonly onAdd: (registers: readonly ModbusRegister[]) => void;
}

const EXAMPLE =
  "key;area;address;type;scale;writable\nspeed;holding;1;UINT16;0.1;\nsetpoint;holding;10;FLOAT32;;yes";
const CSV_MAX = 65_536;

/** Reads a table of registers and shows the lines that are none, before the registers are added. */
export function CsvDialog({ onClose, onAdd }: Props) {
  const [csv, setCsv] = useState("");
  const [map, setMap] = useState<RegisterMap | undefined>(undefined);
  const action = useAction();
  const change = (text: string) => {
    setCsv(text);
    setMap(undefined);
  };
  const submit = (e: Event) => {
    e.preventDefault();
    if (map && map.registers.length > 0) return onAdd(map.registers);
    action.run(async () => {
      const answer = await modbusApi.readMap(csv);
      if (answer.problems.length === 0 && answer.registers.length > 0) onAdd(answer.registers);
      else setMap(answer);
    });
  };
  return (
    <Dialog title={t("modbus.importCsv")} onClose={onClose}>
      <form class="flex flex-col gap-4" onSubmit={submit}>
        <Field label={t("modbus.csvFile")}>
          <input
            class="file-input w-full"
            type="file"
            accept=".csv,.txt,text/csv"
            onChange={async (e) => {
              const file = e.currentTarget.files?.[0];
              if (file) change(await file.text());
            }}
          />
        </Field>
        <TextAreaField
          label={t("modbus.csvText")}
          hint={t("modbus.csvHint")}
          rows={8}
          required
          maxLength={CSV_MAX}
          placeholder={EXAMPLE}
          value={csv}
          onText={change}
        />
        {map && <MapProblems map={map} csv={csv} />}
        <ErrorNote error={action.error} />
        <FormButtons busy={action.busy} onCancel={onClose}>
          {map && map.registers.length > 0
            ? plural("modbus.addOthers", map.registers.length)
            : t("modbus.readCsv")}
        </FormButtons>
      </form>
    </Dialog>
  );
}

const PROBLEMS_SHOWN = 20;

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

function Reason({ problem }: { problem: Text }) {
  if (problem.code !== "modbus_rule.column")
    return <span class="block text-soft">{serverText(problem)}</span>;
  const column = String(problem.params.column);
  const rule = Object.hasOwn(rules, column) ? rules[column] : undefined;
  return (
    <span class="block text-soft">
      {t("modbus.csvColumn", { column })} {t(rule ?? "modbusProblem.column")}
    </span>
  );
}

function MapProblems({ map, csv }: { map: RegisterMap; csv: string }) {
  const lines = csv.split(/\r?\n/);
  return (
    <div role="alert" class="flex flex-col gap-2 border-l-4 border-l-warning pl-3 text-sm">
      <p>
        {map.problems.length === 0 ? t("modbus.csvEmpty") : plural("modbus.csvProblems", map.problems.length)}
      </p>
      <ul class="flex flex-col gap-1.5">
        {map.problems.slice(0, PROBLEMS_SHOWN).map(({ line, problem }) => (
          <li key={line} class="wrap-anywhere">
            {t("common.atLine", { line })} <code class="reading">{lines[line - 1]}</code>
            <Reason problem={problem} />
          </li>
        ))}
      </ul>
    </div>
  );
}

export function TemplateDialog({ onClose, onAdd }: Props) {
  const templates = useResource(modbusApi.templates, []);
  return (
    <Dialog title={t("modbus.fromTemplate")} onClose={onClose}>
      <p class="mb-3 text-sm text-soft">{t("modbus.templateHint")}</p>
      <Loaded of={templates}>
        {(all) => (
          <ul class="flex max-h-96 flex-col gap-1 overflow-y-auto" aria-label={t("modbus.fromTemplate")}>
            {all.map((template) => (
              <li key={template.templateId}>
                <TemplateButton template={template} onSelect={() => onAdd(template.registers)} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <div class="mt-4 flex justify-end">
        <button type="button" class="btn btn-ghost" onClick={onClose}>
          {t("common.cancel")}
        </button>
      </div>
    </Dialog>
  );
}

function TemplateButton({ template, onSelect }: { template: ModbusTemplate; onSelect: () => void }) {
  const { vendor, name, kind, source, registers } = template;
  return (
    <button
      type="button"
      class="w-full cursor-pointer rounded-field border border-base-300 px-3 py-2 text-left hover:bg-base-200"
      onClick={onSelect}
    >
      <span class="font-medium">
        {vendor} {name}
      </span>
      <span class="block text-sm text-soft">
        {t(`modbusKind.${kind}`)} · {plural("modbus.registers", registers.length)}
      </span>
      <span class="block text-sm text-soft wrap-anywhere">{source}</span>
    </button>
  );
}
