import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { REGISTER_AREAS } from "../../../lib/modbus/modbus-lists.ts";
import type { FormValues } from "../../lib/form-schema.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { together, useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { FormPage } from "../../ui/form-page.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { NotFoundScreen } from "../../ui/not-found.tsx";
import { SchemaFields } from "../../ui/schema-fields.tsx";
import { Section } from "../../ui/section.tsx";
import { useSchemaForm } from "../../ui/use-schema-form.ts";
import {
  DeviceChoice,
  type DeviceDraft,
  deviceIdOf,
  deviceProblem,
  firstDevice,
  namedDevice,
} from "../field/device-choice.tsx";
import { MapButtons, useMapSource } from "../field/map-dialogs.tsx";
import { ModbusMapDialog } from "./map-dialog.tsx";
import { type ModbusRegister, type ModbusUnit, modbusApi } from "./modbus-api.ts";
import { draftOf, problemsOf, type RegisterDraft, registerOf } from "./register-draft.ts";
import { RegisterList } from "./register-list.tsx";
import { unitForm, valuesOf } from "./unit-form.ts";

type UnitFields = Pick<ModbusUnit, "unitId" | "intervalMs" | "wordsMax" | "gapMax">;

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

const DEVICE_TYPE = "meter";

function useUnitForm(connectionId: string, unit: ModbusUnit | undefined) {
  const { query, route } = useLocation();
  const [asked] = useState(() => askedRegister(query));
  const form = useSchemaForm(unitForm, valuesOf(unit, query.unit));
  const [device, setDevice] = useState<DeviceDraft>(() => firstDevice(DEVICE_TYPE));
  const [first] = useState<readonly RegisterDraft[]>(() => [
    ...(unit?.registers ?? []).map(draftOf),
    ...asked,
  ]);
  const [registers, setRegisters] = useState(first);
  const [open, setOpen] = useState<ReadonlySet<number>>(() => new Set(asked.map(({ id }) => id)));
  const [isChecked, setChecked] = useState(false);
  const wrong = registers.filter((draft) => Object.keys(problemsOf(draft, registers)).length > 0);
  const needsDevice = unit === undefined && device.kind === "existing" && device.deviceId === undefined;
  const save = async (fields: FormValues) => {
    const body = { ...(fields as UnitFields), registers: registers.map(registerOf) }; // the API checks it
    if (unit) await modbusApi.updateUnit(connectionId, unit.modbusUnitId, body);
    else await modbusApi.createUnit(connectionId, { ...body, deviceId: await deviceIdOf(device, setDevice) });
    toast("success", t("modbus.unitSaved"));
    route(`/modbus/${connectionId}`);
  };
  const submit = () => {
    setChecked(true);
    if (wrong.length > 0) setOpen(new Set([...open, ...wrong.map(({ id }) => id)]));
    else if (!needsDevice) form.send(save);
  };
  return {
    form,
    device,
    setDevice,
    registers,
    setRegisters,
    open,
    setOpen,
    isChecked,
    ...{ submit, wrong, needsDevice: needsDevice && isChecked, isChanged: registers !== first },
  };
}

interface FormProps {
  readonly connectionId: string;
  readonly connectionName: string;
  readonly unit: ModbusUnit | undefined;
}

function UnitForm({ connectionId, connectionName, unit }: FormProps) {
  const page = useUnitForm(connectionId, unit);
  const { form, isChecked, wrong } = page;
  const refusal = deviceProblem(form.error);
  const [source, setSource] = useMapSource(unit === undefined);
  const dialog = {
    onClose: () => setSource(undefined),
    onAdd: (added: readonly ModbusRegister[], name = "") => {
      page.setDevice(namedDevice(page.device, name));
      page.setRegisters([...page.registers, ...added.map(draftOf)]);
      setSource(undefined);
      toast("success", t("fieldUnit.added", { count: added.length }));
    },
  };
  return (
    <>
      <FormPage
        title={unit?.deviceName ?? t("modbus.addUnit")}
        above={[{ href: "/field", text: t("nav.field") }]}
        back={{ href: `/modbus/${connectionId}`, text: connectionName }}
        submitText={t("common.save")}
        onSubmit={page.submit}
        busy={form.busy}
        error={refusal === undefined ? form.error : undefined}
        isFixed={!may("integrations:write")}
        isChanged={page.isChanged}
      >
        <Section id="modbus-unit" title={t("common.unit")}>
          {unit === undefined && (
            <DeviceChoice
              draft={page.device}
              deviceType={DEVICE_TYPE}
              error={page.needsDevice ? t("common.selectADevice") : refusal}
              onChange={page.setDevice}
            />
          )}
          <SchemaFields form={unitForm} {...form.state} />
        </Section>
        <Section id="modbus-registers" title={t("modbus.registersTitle")} hint={t("modbus.registersHint")}>
          <MapButtons sources={["template", "csv"]} onSelect={setSource} />
          <RegisterList
            registers={page.registers}
            open={page.open}
            isChecked={isChecked}
            onChange={page.setRegisters}
            onOpen={page.setOpen}
          />
        </Section>
        {isChecked && wrong.length > 0 && (
          <p role="alert" class="text-sm text-error">
            {plural("modbus.wrongRegisters", wrong.length)}
          </p>
        )}
      </FormPage>
      {source && <ModbusMapDialog source={source} {...dialog} />}
    </>
  );
}
