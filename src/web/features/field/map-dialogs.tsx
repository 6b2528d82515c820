import { FileSpreadsheet, LayoutTemplate, ListChecks } from "lucide-preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { Text } from "../../../lib/texts/text.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/form/field.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { TextAreaField } from "../../ui/form/text-area-field.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { Loaded } from "../../ui/page/loaded.tsx";

export type MapSource = "csv" | "template" | "browse";

/** Entries of a table, and its invalid lines. */
export interface EntryMap<Entry> {
  readonly entries: readonly Entry[];
  readonly problems: readonly { readonly line: number; readonly problem: Text }[];
}

export interface EntryTemplate<Entry> {
  readonly templateId: string;
  readonly vendor: string;
  readonly name: string;
  /** Second line of its button. */
  readonly text: string;
  readonly source: string;
  readonly entries: readonly Entry[];
}

export interface MapDialogProps<Entry> {
  readonly onClose: () => void;
  /** @param name name of the device in the template */
  readonly onAdd: (entries: readonly Entry[], name?: string) => void;
}

/** State of the open dialog. The address of a new unit can open one: `?map=template`. */
export function useMapSource(isNew: boolean) {
  const { query } = useLocation();
  return useState(() => (isNew ? SOURCES.find((source) => source === query.map) : undefined));
}

interface CsvProps<Entry> extends MapDialogProps<Entry> {
  readonly example: string;
  readonly hint: string;
  readonly read: (csv: string) => Promise<EntryMap<Entry>>;
  readonly problemText: (problem: Text) => string;
}

const CSV_MAX = 65_536;

/** Parses a table of entries and shows its invalid lines before the others are added. */
export function CsvDialog<Entry>({ onClose, onAdd, example, hint, read, problemText }: CsvProps<Entry>) {
  const [csv, setCsv] = useState("");
  const [map, setMap] = useState<EntryMap<Entry> | undefined>(undefined);
  const action = useAction();
  const change = (text: string) => {
    setCsv(text);
    setMap(undefined);
  };
  const submit = () => {
    if (map && map.entries.length > 0) return onAdd(map.entries);
    action.run(async () => {
      const response = await read(csv);
      if (response.problems.length === 0 && response.entries.length > 0) onAdd(response.entries);
      else setMap(response);
    });
  };
  return (
    <FormDialog
      title={t("fieldConnection.importCsv")}
      submitText={
        map && map.entries.length > 0
          ? plural("fieldConnection.addOthers", map.entries.length)
          : t("fieldConnection.readCsv")
      }
      onSubmit={submit}
      busy={action.busy}
      error={action.error}
      onClose={onClose}
    >
      <Field label={t("fieldConnection.csvFile")}>
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
        label={t("fieldConnection.csvText")}
        hint={hint}
        rows={8}
        required
        maxLength={CSV_MAX}
        placeholder={example}
        value={csv}
        onText={change}
      />
      {map && <MapProblems map={map} csv={csv} problemText={problemText} />}
    </FormDialog>
  );
}

const PROBLEMS_SHOWN = 20;

function MapProblems(props: { map: EntryMap<unknown>; csv: string; problemText: (problem: Text) => string }) {
  const { map, csv, problemText } = props;
  const lines = csv.split(/\r?\n/);
  return (
    <div role="alert" class="flex flex-col gap-2 border-l-4 border-l-warning pl-3 text-sm">
      <p>
        {map.problems.length === 0
          ? t("fieldConnection.csvEmpty")
          : plural("fieldConnection.csvProblems", map.problems.length)}
      </p>
      <ul class="flex flex-col gap-1.5">
        {map.problems.slice(0, PROBLEMS_SHOWN).map(({ line, problem }) => (
          <li key={line} class="wrap-anywhere">
            {t("common.atLine", { line })} <code class="reading">{lines[line - 1]}</code>
            <span class="block text-soft">{problemText(problem)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

interface TemplateProps<Entry> extends MapDialogProps<Entry> {
  readonly hint: string;
  readonly list: () => Promise<readonly EntryTemplate<Entry>[]>;
}

export function TemplateDialog<Entry>({ onClose, onAdd, hint, list }: TemplateProps<Entry>) {
  const templates = useResource(list, []);
  return (
    <Dialog title={t("fieldConnection.fromTemplate")} onClose={onClose}>
      <p class="mb-3 text-sm text-soft">{hint}</p>
      <Loaded of={templates}>
        {(all) => (
          <ul
            class="flex max-h-96 flex-col gap-1 overflow-y-auto"
            aria-label={t("fieldConnection.fromTemplate")}
          >
            {all.map((template) => (
              <li key={template.templateId}>
                <TemplateButton template={template} onSelect={() => onAdd(template.entries, template.name)} />
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

function TemplateButton(props: { template: EntryTemplate<unknown>; onSelect: () => void }) {
  const { vendor, name, text, source } = props.template;
  return (
    <button
      type="button"
      class="w-full cursor-pointer rounded-field border border-base-300 px-3 py-2 text-left hover:bg-base-200"
      onClick={props.onSelect}
    >
      <span class="font-medium">
        {vendor} {name}
      </span>
      <span class="block text-sm text-soft">{text}</span>
      <span class="block text-sm text-soft wrap-anywhere">{source}</span>
    </button>
  );
}

const SOURCES = ["template", "browse", "csv"] as const;
export const sourceIcons = { template: LayoutTemplate, browse: ListChecks, csv: FileSpreadsheet } as const;
export const sourceTexts = {
  template: "fieldConnection.fromTemplate",
  browse: "fieldUnit.fromDevice",
  csv: "fieldConnection.importCsv",
} as const;

/** Ways to add many entries. */
export const MapButtons = (props: {
  sources: readonly MapSource[];
  onSelect: (source: MapSource) => void;
}) => (
  <div class="flex flex-wrap gap-2">
    {props.sources.map((source) => (
      <Button key={source} icon={sourceIcons[source]} onClick={() => props.onSelect(source)}>
        {t(sourceTexts[source])}
      </Button>
    ))}
  </div>
);
