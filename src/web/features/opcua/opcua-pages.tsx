import { isNodeId } from "../../../lib/opcua/opcua-node-id.ts";
import { codeText, serverText } from "../../platform/i18n/error-texts.ts";
import { formatCount } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import type { ConnectionView } from "../field/connection-page.tsx";
import { addressText } from "../field/connection-state.tsx";
import { type EntryDraft, rowEditor } from "../field/entry-list.tsx";
import { saveMeanings } from "../field/entry-meanings.ts";
import { EntryPages, entryUnitCard } from "../field/entry-pages.tsx";
import type { EntryUnitView } from "../field/entry-unit-page.tsx";
import { CsvDialog } from "../field/map-dialogs.tsx";
import { NodeDialog } from "./node-dialog.tsx";
import { type OpcUaConnection, type OpcUaItem, type OpcUaKind, opcuaApi } from "./opcua-api.ts";
import { OpcUaForm } from "./opcua-form.tsx";
import { unitForm } from "./opcua-forms.ts";

const Settings = ({ connection }: { connection: OpcUaConnection }) => (
  <>
    <span class="reading">
      {addressText(connection)}
      {connection.path}
    </span>{" "}
    · {t(`fieldOption.opcuaConnection.securityMode.${connection.securityMode}`)}
  </>
);

const Unit = entryUnitCard<OpcUaKind>({
  api: opcuaApi,
  path: "/opcua",
  idOf: ({ opcuaUnitId }) => opcuaUnitId,
  entriesOf: ({ items }) => items,
  countText: (count, { health: { reported } }) =>
    `${plural("opcua.items", count)} · ${t("opcua.reported", { count: formatCount(reported) })}`,
  refusedOf: ({ health }) => health.refused.map(({ key, reason }) => ({ key, text: serverText(reason) })),
});

const view = (): ConnectionView<OpcUaKind> => ({
  api: opcuaApi,
  path: "/opcua",
  faults: "opcua_connection",
  source: "browse",
  unitsHint: t("fieldUnit.unitsHint"),
  forbidden: codeText("opcua.all_devices_needed"),
  Settings,
  Form: OpcUaForm,
  Unit,
});

const CSV_EXAMPLE =
  "key,address,length,writable\npressure,ns=2;s=Press.Pressure,,\nlanes,ns=2;s=Filler.Lanes,3,";

async function readMap(csv: string) {
  const { items, problems } = await opcuaApi.readMap(csv);
  return { entries: items, problems };
}

const unitView = (): EntryUnitView<OpcUaKind, OpcUaItem, EntryDraft> => ({
  api: opcuaApi,
  path: "/opcua",
  idOf: ({ opcuaUnitId }) => opcuaUnitId,
  entriesOf: ({ items }) => items,
  entries: "items",
  form: unitForm,
  deviceType: "machine",
  valuesOf: (unit) => ({ intervalMs: unit?.intervalMs ?? 1_000 }),
  editor: rowEditor(
    [
      { name: "key", charactersMax: 256 },
      {
        name: "address",
        charactersMax: 1_000,
        problemOf: (text) => (isNodeId(text.trim()) ? "" : codeText("opcua_rule.node")),
      },
      { name: "length", charactersMax: 4, number: { pattern: "[1-9][0-9]{0,3}" } },
      { name: "deadband", charactersMax: 20, number: { pattern: "[0-9]+([.,][0-9]+)?" } },
    ],
    {
      title: t("opcua.itemsTitle"),
      hint: t("opcua.itemsHint"),
      none: t("opcua.noItemsYet"),
      add: t("opcua.addItem"),
      unnamed: t("opcua.newItem"),
    },
  ),
  onSaved: saveMeanings,
  sources: ["browse", "csv"],
  Dialog: (props) =>
    props.source === "csv" ? (
      <CsvDialog
        {...props}
        example={CSV_EXAMPLE}
        hint={t("opcua.csvHint")}
        read={readMap}
        problemText={serverText}
      />
    ) : (
      <NodeDialog {...props} />
    ),
});

/** An OPC UA connection, or one of its units. */
export const OpcUaPages = (props: { connectionId: string; unitId: string | undefined }) => (
  <EntryPages view={view()} unitView={unitView()} {...props} />
);
