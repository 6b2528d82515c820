import { codeText, serverText } from "../../platform/i18n/error-texts.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { ConnectionPage, type ConnectionView } from "../field/connection-page.tsx";
import { addressText } from "../field/connection-state.tsx";
import { saveMeanings } from "../field/entry-meanings.ts";
import { EntryUnitPage, type EntryUnitView } from "../field/entry-unit-page.tsx";
import { CsvDialog } from "../field/map-dialogs.tsx";
import { intervalText, UnitCard } from "../field/unit-card.tsx";
import {
  type BacnetConnection,
  type BacnetKind,
  type BacnetObject,
  type BacnetUnit,
  bacnetApi,
} from "./bacnet-api.ts";
import { BacnetForm } from "./bacnet-form.tsx";
import { unitForm } from "./bacnet-forms.ts";
import { ObjectDialog } from "./object-dialog.tsx";

const Settings = ({ connection }: { connection: BacnetConnection }) => (
  <>
    <span class="reading">{addressText(connection)}</span> ·{" "}
    {t("bacnet.number", { number: connection.deviceInstance })}
  </>
);

function Unit(props: { unit: BacnetUnit; isOpen: boolean; onDeleted: () => void }) {
  const { bacnetUnitId, connectionId, intervalMs, objects, health } = props.unit;
  return (
    <UnitCard
      {...props}
      path={`/bacnet/${connectionId}/${bacnetUnitId}`}
      line={`${t("s7.unitLine", { interval: intervalText(intervalMs) })} · ${plural("bacnet.objects", objects.length)}`}
      isEmpty={objects.length === 0}
      refused={health.refused.map(({ key, reason }) => ({ key, text: serverText(reason) }))}
      notes={health.notes?.map(({ key, note }) => ({ key, text: serverText(note) }))}
      onDelete={() => bacnetApi.deleteUnit(connectionId, bacnetUnitId)}
    />
  );
}

const view = (): ConnectionView<BacnetKind> => ({
  api: bacnetApi,
  path: "/bacnet",
  faults: "bacnet_connection",
  source: "browse",
  unitsHint: t("fieldUnit.unitsHint"),
  forbidden: codeText("bacnet.all_devices_needed"),
  Settings,
  Form: BacnetForm,
  Unit,
});

const CSV_EXAMPLE = "key;address;priority;writable\nsupply;analog-input:1;;\nvalve;AO:1;8;yes";

async function readMap(csv: string) {
  const { objects, problems } = await bacnetApi.readMap(csv);
  return { entries: objects, problems };
}

const unitView = (): EntryUnitView<BacnetKind, BacnetObject> => ({
  api: bacnetApi,
  path: "/bacnet",
  idOf: ({ bacnetUnitId }) => bacnetUnitId,
  entriesOf: ({ objects }) => objects,
  entries: "objects",
  form: unitForm,
  deviceType: "controller",
  intervalMs: 10_000,
  fields: [
    { name: "key", charactersMax: 256 },
    { name: "address", charactersMax: 100 },
    { name: "priority", charactersMax: 2, number: { pattern: "[1-9]|1[0-6]" } },
  ],
  texts: {
    title: t("bacnet.objectsTitle"),
    hint: t("bacnet.objectsHint"),
    none: t("bacnet.noObjectsYet"),
    add: t("bacnet.addObject"),
    unnamed: t("bacnet.newObject"),
  },
  onSaved: saveMeanings,
  sources: ["browse", "csv"],
  Dialog: (props) =>
    props.source === "csv" ? (
      <CsvDialog
        {...props}
        example={CSV_EXAMPLE}
        hint={t("bacnet.csvHint")}
        read={readMap}
        problemText={serverText}
      />
    ) : (
      <ObjectDialog {...props} />
    ),
});

/** A BACnet connection, or one of its units. */
export const BacnetPages = ({
  connectionId,
  unitId,
}: {
  connectionId: string;
  unitId: string | undefined;
}) =>
  unitId === undefined ? (
    <ConnectionPage key={connectionId} connectionId={connectionId} view={view()} />
  ) : (
    <EntryUnitPage
      key={unitId}
      view={unitView()}
      connectionId={connectionId}
      unitId={unitId === "new" ? undefined : unitId}
    />
  );
