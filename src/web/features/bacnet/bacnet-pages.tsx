import { codeText, serverText } from "../../platform/i18n/error-texts.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import type { ConnectionView } from "../field/connection-page.tsx";
import { addressText } from "../field/connection-state.tsx";
import { type EntryDraft, rowEditor } from "../field/entry-list.tsx";
import { saveMeanings } from "../field/entry-meanings.ts";
import { EntryPages, entryUnitCard } from "../field/entry-pages.tsx";
import type { EntryUnitView } from "../field/entry-unit-page.tsx";
import { CsvDialog } from "../field/map-dialogs.tsx";
import { type BacnetConnection, type BacnetKind, type BacnetObject, bacnetApi } from "./bacnet-api.ts";
import { BacnetForm } from "./bacnet-form.tsx";
import { unitForm } from "./bacnet-forms.ts";
import { ObjectDialog } from "./object-dialog.tsx";

const Settings = ({ connection }: { connection: BacnetConnection }) => (
  <>
    <span class="reading">{addressText(connection)}</span> ·{" "}
    {t("bacnet.number", { number: connection.deviceInstance })}
  </>
);

const Unit = entryUnitCard<BacnetKind>({
  api: bacnetApi,
  path: "/bacnet",
  idOf: ({ bacnetUnitId }) => bacnetUnitId,
  entriesOf: ({ objects }) => objects,
  countText: (count) => plural("bacnet.objects", count),
  refusedOf: ({ health }) => health.refused.map(({ key, reason }) => ({ key, text: serverText(reason) })),
});

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

const unitView = (): EntryUnitView<BacnetKind, BacnetObject, EntryDraft> => ({
  api: bacnetApi,
  path: "/bacnet",
  idOf: ({ bacnetUnitId }) => bacnetUnitId,
  entriesOf: ({ objects }) => objects,
  entries: "objects",
  form: unitForm,
  deviceType: "controller",
  valuesOf: (unit) => ({ intervalMs: unit?.intervalMs ?? 10_000 }),
  editor: rowEditor(
    [
      { name: "key", charactersMax: 256 },
      { name: "address", charactersMax: 100 },
      { name: "priority", charactersMax: 2, number: { pattern: "[1-9]|1[0-6]" } },
    ],
    {
      title: t("bacnet.objectsTitle"),
      hint: t("bacnet.objectsHint"),
      none: t("bacnet.noObjectsYet"),
      add: t("bacnet.addObject"),
      unnamed: t("bacnet.newObject"),
    },
  ),
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
export const BacnetPages = (props: { connectionId: string; unitId: string | undefined }) => (
  <EntryPages view={view()} unitView={unitView()} {...props} />
);
