import { FileSpreadsheet, LayoutTemplate } from "lucide-preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { REGISTER_AREAS } from "../../../lib/modbus/modbus-lists.ts";
import { ApiError } from "../../platform/api-client.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { together, useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { Button } from "../../ui/button.tsx";
import { errorText } from "../../ui/error-text.ts";
import { FormPage } from "../../ui/form-page.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { NotFoundScreen } from "../../ui/not-found.tsx";
import { Section } from "../../ui/section.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-form.ts";
import { devicesApi } from "../devices/devices-api.ts";
import { DeviceChoice, type DeviceDraft } from "./device-choice.tsx";
import { CsvDialog, TemplateDialog } from "./map-dialogs.tsx";
import { type ModbusRegister, type ModbusUnit, modbusApi } from "./modbus-api.ts";
import { draftOf, problemsOf, type RegisterDraft, registerOf } from "./register-draft.ts";
import { RegisterList } from "./register-list.tsx";

interface Props {
  readonly connectionId: string;
  /** undefined for a new unit. */
  readonly modbusUnitId: string | undefined;
}

export function UnitPage({ connectionId, modbusUnitId }: Props) {
  const page = together({
    connection: useResource(() => modbusApi.get(connectionId), [connectionId]),
    units: useResource(() => modbusApi.units(connectionId), [connectionId]),
  });
  return (
    <div class="max-w-5xl">
      <Loaded of={page} isPage>
        {({ connection, units }) => {
          const unit = units.find((candidate) => candidate.modbusUnitId === modbusUnitId);
          return modbusUnitId !== undefined && unit === undefined ? (
            <NotFoundScreen />
          ) : (
            <UnitForm connectionId={connectionId} connectionName={connection.name} unit={unit} />
          );
        }}
      </Loaded>
    </div>
  );
}

/** Returns the register that the address of the page asks for. */
function askedRegister(query: Readonly<Record<string, string>>): RegisterDraft[] {
  const area = REGISTER_AREAS.find((name) => name === query.area);
  return area === undefined ? [] : [draftOf({ area, address: Number(query.address) })];
}

const firstDevice = (): DeviceDraft =>
  may("devices:write")
    ? { kind: "new", name: "", deviceType: "meter" }
    : { kind: "existing", deviceId: undefined };

/** Texts of refusals that belong to the device. */
const deviceProblem = (error: unknown): string | undefined =>
  error instanceof ApiError && /^(modbus\.device_taken|device\.)/.test(error.text?.code ?? "")
    ? errorText(error)
    : undefined;

function useUnitForm(connectionId: string, unit: ModbusUnit | undefined) {
  const { query, route } = useLocation();
  const [asked] = useState(() => askedRegister(query));
  const [fields, setFields] = useState<UnitDraft>(() => unitDraftOf(unit, query.unit));
  const [device, setDevice] = useState<DeviceDraft>(firstDevice);
  const [first] = useState<readonly RegisterDraft[]>(() => [
    ...(unit?.registers ?? []).map(draftOf),
    ...asked,
  ]);
  const [registers, setRegisters] = useState(first);
  const [open, setOpen] = useState<ReadonlySet<number>>(() => new Set(asked.map(({ id }) => id)));
  const [isChecked, setChecked] = useState(false);
  const action = useAction();
  const wrong = registers.filter((draft) => Object.keys(problemsOf(draft, registers)).length > 0);
  const needsDevice = unit === undefined && device.kind === "existing" && device.deviceId === undefined;
  const save = async () => {
    const body = { ...unitFieldsOf(fields), registers: registers.map(registerOf) };
    if (unit) await modbusApi.updateUnit(connectionId, unit.modbusUnitId, body);
    else await modbusApi.createUnit(connectionId, { ...body, deviceId: await deviceIdOf(device, setDevice) });
    toast("success", t("modbus.unitSaved"));
    route(`/modbus/${connectionId}`);
  };
  const submit = () => {
    setChecked(true);
    if (wrong.length > 0) setOpen(new Set([...open, ...wrong.map(({ id }) => id)]));
    else if (!needsDevice) action.run(save);
  };
  return {
    fields,
    setFields,
    device,
    setDevice,
    registers,
    setRegisters,
    open,
    setOpen,
    isChecked,
    ...{ action, submit, wrong, needsDevice: needsDevice && isChecked, isChanged: registers !== first },
  };
}

/** Returns the id of the device; creates it first if it is new. A second attempt uses the device of the first. */
async function deviceIdOf(device: DeviceDraft, onCreated: (device: DeviceDraft) => void): Promise<string> {
  if (device.kind === "existing") return device.deviceId ?? "";
  const { name, deviceType } = device;
  const created = await devicesApi.create({
    name: name.trim(),
    deviceType: deviceType.trim(),
    role: "DEVICE",
  });
  onCreated({ kind: "existing", deviceId: created.deviceId });
  return created.deviceId;
}

interface FormProps {
  readonly connectionId: string;
  readonly connectionName: string;
  readonly unit: ModbusUnit | undefined;
}

function UnitForm({ connectionId, connectionName, unit }: FormProps) {
  const form = useUnitForm(connectionId, unit);
  const { action, isChecked, wrong } = form;
  const refusal = deviceProblem(action.error);
  const [source, setSource] = useState<MapSource | undefined>(undefined);
  const dialog = {
    onClose: () => setSource(undefined),
    onAdd: (added: readonly ModbusRegister[]) => {
      form.setRegisters([...form.registers, ...added.map(draftOf)]);
      setSource(undefined);
      toast("success", plural("modbus.added", added.length));
    },
  };
  return (
    <>
      <FormPage
        title={unit?.deviceName ?? t("modbus.addUnit")}
        back={{ href: `/modbus/${connectionId}`, text: connectionName }}
        submitText={t("common.save")}
        onSubmit={form.submit}
        busy={action.busy}
        error={refusal === undefined ? action.error : undefined}
        isFixed={!may("integrations:write")}
        isChanged={form.isChanged}
      >
        <Section id="modbus-unit" title={t("common.unit")}>
          {unit === undefined && (
            <DeviceChoice
              draft={form.device}
              error={form.needsDevice ? t("common.selectADevice") : refusal}
              onChange={form.setDevice}
            />
          )}
          <UnitFields draft={form.fields} onChange={form.setFields} />
        </Section>
        <Section id="modbus-registers" title={t("modbus.registersTitle")} hint={t("modbus.registersHint")}>
          <MapButtons onSelect={setSource} />
          <RegisterList
            registers={form.registers}
            open={form.open}
            isChecked={isChecked}
            onChange={form.setRegisters}
            onOpen={form.setOpen}
          />
        </Section>
        {isChecked && wrong.length > 0 && (
          <p role="alert" class="text-sm text-error">
            {plural("modbus.wrongRegisters", wrong.length)}
          </p>
        )}
      </FormPage>
      {source === "csv" && <CsvDialog {...dialog} />}
      {source === "template" && <TemplateDialog {...dialog} />}
    </>
  );
}

type MapSource = "csv" | "template";

/** Ways to add many registers. */
const MapButtons = ({ onSelect }: { onSelect: (source: MapSource) => void }) => (
  <div class="flex flex-wrap gap-2">
    <Button icon={LayoutTemplate} onClick={() => onSelect("template")}>
      {t("modbus.fromTemplate")}
    </Button>
    <Button icon={FileSpreadsheet} onClick={() => onSelect("csv")}>
      {t("modbus.importCsv")}
    </Button>
  </div>
);

interface UnitDraft {
  readonly unitId: string;
  readonly intervalSeconds: string;
  readonly wordsMax: string;
  readonly gapMax: string;
}

const unitDraftOf = (unit: ModbusUnit | undefined, unitId = "1"): UnitDraft => ({
  unitId: String(unit?.unitId ?? unitId),
  intervalSeconds: String((unit?.intervalMs ?? 10_000) / 1_000),
  wordsMax: String(unit?.wordsMax ?? 125),
  gapMax: String(unit?.gapMax ?? 8),
});

const unitFieldsOf = (draft: UnitDraft) => ({
  unitId: Number(draft.unitId),
  intervalMs: Math.round(Number(draft.intervalSeconds) * 1_000),
  wordsMax: Number(draft.wordsMax),
  gapMax: Number(draft.gapMax),
});

const LIMITS = {
  unitId: [0, 255, 1],
  intervalSeconds: [0.1, 86_400, "any"],
  wordsMax: [1, 125, 1],
  gapMax: [0, 125, 1],
} as const;

function UnitFields({ draft, onChange }: { draft: UnitDraft; onChange: (draft: UnitDraft) => void }) {
  const field = (name: keyof UnitDraft) => {
    const [min, max, step] = LIMITS[name];
    return (
      <TextField
        key={name}
        label={t(`modbusUnit.${name}`)}
        hint={t(`modbusUnitHint.${name}`)}
        type="number"
        required
        min={min}
        max={max}
        step={step}
        value={draft[name]}
        onText={(text) => onChange({ ...draft, [name]: text })}
      />
    );
  };
  return (
    <div class="grid gap-4 sm:grid-cols-2">
      {(["unitId", "intervalSeconds", "wordsMax", "gapMax"] as const).map(field)}
    </div>
  );
}
