import { parseS7Address } from "../../../lib/s7/s7-address.ts";
import { codeText, serverText } from "../../platform/i18n/error-texts.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { type EntryDraft, rowEditor } from "../field/entry-list.tsx";
import type { EntryUnitView } from "../field/entry-unit-page.tsx";
import { CsvDialog, TemplateDialog } from "../field/map-dialogs.tsx";
import { type S7Kind, type S7Tag, s7Api } from "./s7-api.ts";
import { unitForm } from "./s7-forms.ts";

const CSV_EXAMPLE =
  "key;address;scale;writable\npressure;%DB1.DBD4:REAL;;\nsetpoint;DB1,INT8;0.1;yes\nmotor;DB1,X0.0;;yes";
const number = { pattern: String.raw`\s*-?[0-9]*[.,]?[0-9]+([eE][+\-]?[0-9]+)?\s*` };

const addressProblem = (address: string): string =>
  parseS7Address(address.trim()) === undefined ? codeText("s7_rule.address") : "";

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

/** S7-specific parts of the page of a unit. */
export const unitView = (): EntryUnitView<S7Kind, S7Tag, EntryDraft> => ({
  api: s7Api,
  path: "/s7",
  idOf: ({ s7UnitId }) => s7UnitId,
  entriesOf: ({ tags }) => tags,
  entries: "tags",
  form: unitForm,
  deviceType: "machine",
  valuesOf: (unit) => ({ intervalMs: unit?.intervalMs ?? 1_000 }),
  editor: rowEditor(
    [
      { name: "key", charactersMax: 256 },
      { name: "address", charactersMax: 64, problemOf: addressProblem },
      { name: "scale", charactersMax: 64, number },
      { name: "offset", charactersMax: 64, number },
    ],
    {
      title: t("s7.tagsTitle"),
      hint: t("s7.tagsHint"),
      none: t("s7.noTagsYet"),
      add: t("s7.addTag"),
      unnamed: t("s7.newTag"),
    },
  ),
  sources: ["template", "csv"],
  Dialog: (props) =>
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
    ),
});
