import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { FormValues } from "../../lib/form-schema.ts";
import { serverText } from "../../platform/i18n/error-texts.ts";
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
import {
  CsvDialog,
  MapButtons,
  type MapSource,
  TemplateDialog,
  useMapSource,
} from "../field/map-dialogs.tsx";
import { type S7Tag, type S7Unit, s7Api } from "./s7-api.ts";
import { unitForm } from "./s7-forms.ts";
import { draftOf, type TagDraft, TagList, tagOf } from "./tag-list.tsx";

const CSV_EXAMPLE =
  "key;address;scale;writable\npressure;%DB1.DBD4:REAL;;\nsetpoint;DB1,INT8;0.1;yes\nmotor;DB1,X0.0;;yes";

interface Props {
  readonly connectionId: string;
  /** undefined for a new unit. */
  readonly unitId: string | undefined;
}

export function S7UnitPage({ connectionId, unitId }: Props) {
  const page = together({
    connection: useResource(() => s7Api.get(connectionId), [connectionId]),
    units: useResource(() => s7Api.units(connectionId), [connectionId]),
  });
  return (
    <div class="max-w-5xl">
      <Loaded of={page} isPage>
        {({ connection, units }) => {
          const unit = units.find(({ s7UnitId }) => s7UnitId === unitId);
          return unitId !== undefined && unit === undefined ? (
            <NotFoundScreen />
          ) : (
            <UnitForm connectionId={connectionId} connectionName={connection.name} unit={unit} />
          );
        }}
      </Loaded>
    </div>
  );
}

function useUnitForm(connectionId: string, unit: S7Unit | undefined) {
  const { route } = useLocation();
  const form = useSchemaForm(unitForm, { intervalMs: unit?.intervalMs ?? 1_000 });
  const [device, setDevice] = useState<DeviceDraft>(firstDevice);
  const [first] = useState<readonly TagDraft[]>(() => (unit?.tags ?? []).map(draftOf));
  const [tags, setTags] = useState(first);
  const [isChecked, setChecked] = useState(false);
  const needsDevice = unit === undefined && device.kind === "existing" && device.deviceId === undefined;
  const save = async (fields: FormValues) => {
    const body = { ...(fields as Pick<S7Unit, "intervalMs">), tags: tags.map(tagOf) }; // the API checks it
    if (unit) await s7Api.updateUnit(connectionId, unit.s7UnitId, body);
    else await s7Api.createUnit(connectionId, { ...body, deviceId: await deviceIdOf(device, setDevice) });
    toast("success", t("modbus.unitSaved"));
    route(`/s7/${connectionId}`);
  };
  const submit = () => {
    setChecked(true);
    if (!needsDevice) form.send(save);
  };
  const isChanged = tags !== first;
  return { form, device, setDevice, tags, setTags, submit, isChanged, needsDevice: needsDevice && isChecked };
}

function UnitForm(props: { connectionId: string; connectionName: string; unit: S7Unit | undefined }) {
  const { connectionId, connectionName, unit } = props;
  const page = useUnitForm(connectionId, unit);
  const { form } = page;
  const refusal = deviceProblem(form.error);
  const [source, setSource] = useMapSource(unit === undefined);
  const add = (added: readonly S7Tag[], name = "") => {
    page.setDevice(namedDevice(page.device, name));
    page.setTags([...page.tags, ...added.map(draftOf)]);
    setSource(undefined);
    toast("success", plural("s7.added", added.length));
  };
  return (
    <>
      <FormPage
        title={unit?.deviceName ?? t("modbus.addUnit")}
        above={[{ href: "/field", text: t("nav.field") }]}
        back={{ href: `/s7/${connectionId}`, text: connectionName }}
        submitText={t("common.save")}
        onSubmit={page.submit}
        busy={form.busy}
        error={refusal === undefined ? form.error : undefined}
        isFixed={!may("integrations:write")}
        isChanged={page.isChanged}
      >
        <Section id="s7-unit" title={t("common.unit")}>
          {unit === undefined && (
            <DeviceChoice
              draft={page.device}
              error={page.needsDevice ? t("common.selectADevice") : refusal}
              onChange={page.setDevice}
            />
          )}
          <SchemaFields form={unitForm} {...form.state} />
        </Section>
        <Section id="s7-tags" title={t("s7.tagsTitle")} hint={t("s7.tagsHint")}>
          <MapButtons onSelect={setSource} />
          <TagList tags={page.tags} onChange={page.setTags} />
        </Section>
      </FormPage>
      {source && <MapDialog source={source} onClose={() => setSource(undefined)} onAdd={add} />}
    </>
  );
}

async function readMap(csv: string) {
  const { tags, problems } = await s7Api.readMap(csv);
  return { entries: tags, problems };
}

const templates = async () =>
  (await s7Api.templates()).map(({ tags, ...template }) => ({
    ...template,
    text: plural("s7.tags", tags.length),
    entries: tags,
  }));

const MapDialog = (props: {
  source: MapSource;
  onClose: () => void;
  onAdd: (tags: readonly S7Tag[], name?: string) => void;
}) =>
  props.source === "csv" ? (
    <CsvDialog
      {...props}
      example={CSV_EXAMPLE}
      hint={t("s7.csvHint")}
      read={readMap}
      problemText={serverText}
    />
  ) : (
    <TemplateDialog {...props} hint={t("s7.templateHint")} list={templates} />
  );
