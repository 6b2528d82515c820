import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { FormValues } from "../../lib/form-schema.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { together, useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import type { FormDefinition } from "../../ui/form/form-definition.ts";
import { FormPage } from "../../ui/form/form-page.tsx";
import { SchemaFields } from "../../ui/form/schema-fields.tsx";
import { useSchemaForm } from "../../ui/form/use-schema-form.ts";
import { Loaded } from "../../ui/page/loaded.tsx";
import { NotFoundScreen } from "../../ui/page/not-found.tsx";
import { Section } from "../../ui/page/section.tsx";
import type { ConnectionView } from "./connection-page.tsx";
import {
  DeviceChoice,
  type DeviceDraft,
  deviceIdOf,
  deviceProblem,
  firstDevice,
  namedDevice,
} from "./device-choice.tsx";
import type { EntryEditor } from "./entry-list.tsx";
import type { FieldKind, fieldApi } from "./field-api.ts";
import { MapButtons, type MapDialogProps, type MapSource, useMapSource } from "./map-dialogs.tsx";

/** Parts of the page of a unit for a protocol. */
export interface EntryUnitView<Kind extends FieldKind, Of, Draft> {
  readonly api: Pick<ReturnType<typeof fieldApi<Kind>>, "get" | "units" | "createUnit" | "updateUnit">;
  readonly path: ConnectionView<Kind>["path"];
  readonly idOf: (unit: Kind["unit"]) => string;
  readonly entriesOf: (unit: Kind["unit"]) => readonly Of[];
  /** Name of the entries in the body. */
  readonly entries: string;
  readonly form: FormDefinition;
  /** Type of a new device, which selects its profile. */
  readonly deviceType: string;
  /** Values of the form of a unit, or of a new one with the query of the page. */
  readonly valuesOf: (unit: Kind["unit"] | undefined, query: Query) => FormValues;
  /** Entries to add according to the query of the page. */
  readonly askedOf?: (query: Query) => readonly Partial<Of>[];
  /** True if a connection has many devices, so that its name is not that of its first device. */
  readonly hasManyDevices?: boolean;
  readonly editor: EntryEditor<Of, Draft>;
  /** Called when a unit has been saved. */
  readonly onSaved?: (deviceId: string, entries: readonly Of[]) => Promise<void>;
  /** Ways to add many entries, and their dialogs. */
  readonly sources: readonly MapSource[];
  readonly Dialog: (
    props: MapDialogProps<Of> & { source: MapSource; connectionId: string },
  ) => ComponentChildren;
}

type Query = Readonly<Record<string, string>>;

interface Props<Kind extends FieldKind, Of, Draft> {
  readonly view: EntryUnitView<Kind, Of, Draft>;
  readonly connectionId: string;
  /** undefined for a new unit. */
  readonly unitId: string | undefined;
}

export function EntryUnitPage<Kind extends FieldKind, Of, Draft>(props: Props<Kind, Of, Draft>) {
  const { view, connectionId, unitId } = props;
  const page = together({
    connection: useResource<Kind["connection"]>(() => view.api.get(connectionId), [connectionId]),
    units: useResource<readonly Kind["unit"][]>(() => view.api.units(connectionId), [connectionId]),
  });
  return (
    <div class="max-w-5xl">
      <Loaded of={page} isPage>
        {({ connection, units }) => {
          const unit = units.find((candidate) => view.idOf(candidate) === unitId);
          return unitId !== undefined && unit === undefined ? (
            <NotFoundScreen />
          ) : (
            <UnitForm
              view={view}
              connectionId={connectionId}
              connectionName={connection.name}
              deviceName={units.length === 0 && view.hasManyDevices !== true ? connection.name : ""}
              unit={unit}
            />
          );
        }}
      </Loaded>
    </div>
  );
}

function useUnitForm<Kind extends FieldKind, Of, Draft>(
  view: EntryUnitView<Kind, Of, Draft>,
  connectionId: string,
  unit: Kind["unit"] | undefined,
  deviceName: string,
) {
  const { api, editor } = view;
  const { query, route } = useLocation();
  const form = useSchemaForm(view.form, view.valuesOf(unit, query));
  const [device, setDevice] = useState<DeviceDraft>(() => firstDevice(view.deviceType, deviceName));
  const [first] = useState<readonly Draft[]>(() =>
    [...(unit === undefined ? [] : view.entriesOf(unit)), ...(view.askedOf?.(query) ?? [])].map(
      editor.draftOf,
    ),
  );
  const [entries, setEntries] = useState(first);
  const [attempts, setAttempts] = useState(0);
  const problem = editor.problemOf?.(entries) ?? "";
  const needsDevice = unit === undefined && device.kind === "existing" && device.deviceId === undefined;
  const save = async (values: FormValues) => {
    const list = entries.map(editor.entryOf);
    const body = { ...values, [view.entries]: list }; // the API checks it
    const deviceId = unit?.deviceId ?? (await deviceIdOf(device, setDevice));
    if (unit) await api.updateUnit(connectionId, view.idOf(unit), body);
    else await api.createUnit(connectionId, { ...body, deviceId });
    await view.onSaved?.(deviceId, list as Of[]);
    toast("success", t("fieldConnection.unitSaved"));
    route(`${view.path}/${connectionId}`);
  };
  const submit = () => {
    setAttempts(attempts + 1);
    if (!needsDevice && problem === "") form.send(save);
  };
  const add = (added: readonly Of[], name = "") => {
    setDevice(namedDevice(device, name));
    setEntries([...entries, ...added.map(editor.draftOf)]);
    toast("success", t("fieldUnit.added", { count: added.length }));
  };
  const isChanged = entries !== first;
  return {
    form,
    device,
    setDevice,
    entries,
    setEntries,
    submit,
    add,
    isChanged,
    attempts,
    problem: attempts > 0 ? problem : "",
    needsDevice: needsDevice && attempts > 0,
  };
}

function UnitForm<Kind extends FieldKind, Of, Draft>(props: {
  view: EntryUnitView<Kind, Of, Draft>;
  connectionId: string;
  connectionName: string;
  deviceName: string;
  unit: Kind["unit"] | undefined;
}) {
  const { view, connectionId, connectionName, unit } = props;
  const page = useUnitForm(view, connectionId, unit, props.deviceName);
  const { form, entries, setEntries: onChange, attempts } = page;
  const refusal = deviceProblem(form.error);
  const [source, setSource] = useMapSource(unit === undefined);
  return (
    <>
      <FormPage
        title={unit?.deviceName ?? t("fieldConnection.addUnit")}
        above={[{ href: "/field", text: t("nav.field") }]}
        back={{ href: `${view.path}/${connectionId}`, text: connectionName }}
        submitText={t("common.save")}
        onSubmit={page.submit}
        busy={form.busy}
        error={refusal === undefined ? form.error : undefined}
        isFixed={!may("integrations:write")}
        isChanged={page.isChanged}
      >
        <Section id="field-unit" title={t("common.unit")}>
          {unit === undefined && (
            <DeviceChoice
              draft={page.device}
              deviceType={view.deviceType}
              error={page.needsDevice ? t("common.selectADevice") : refusal}
              onChange={page.setDevice}
            />
          )}
          <SchemaFields form={view.form} {...form.state} />
        </Section>
        <Section id="field-entries" title={view.editor.title} hint={view.editor.hint}>
          <MapButtons sources={view.sources} onSelect={setSource} />
          {view.editor.list({ entries, onChange, attempts })}
        </Section>
        {page.problem !== "" && (
          <p role="alert" class="text-sm text-error">
            {page.problem}
          </p>
        )}
      </FormPage>
      {source && (
        <view.Dialog
          source={source}
          connectionId={connectionId}
          onClose={() => setSource(undefined)}
          onAdd={(added, name) => {
            page.add(added, name);
            setSource(undefined);
          }}
        />
      )}
    </>
  );
}
