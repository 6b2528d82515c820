import { Download, FileUp } from "lucide-preact";
import { useState } from "preact/hooks";
import { t } from "../../platform/i18n/i18n.ts";
import { may } from "../../platform/session.ts";
import { Button } from "../../ui/button.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { Empty } from "../../ui/page/empty.tsx";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { PageHead } from "../../ui/page/page-head.tsx";
import { Trail } from "../../ui/page/trail.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { bulkApi, type ImportResult, type Validation } from "./bulk-api.ts";
import { type CsvTable, decodeCsv, parseCsvTable } from "./csv-rows.ts";
import { ImportOutcome } from "./outcome.tsx";
import { ImportPreview } from "./preview.tsx";

interface Checked {
  readonly file: Blob;
  readonly name: string;
  readonly table: CsvTable;
  readonly validation: Validation;
}

/** Import of a list of devices from a file, with a preview by row before anything is created. */
export function ImportScreen() {
  const [checked, setChecked] = useState<Checked | undefined>(undefined);
  const [result, setResult] = useState<ImportResult | undefined>(undefined);
  /** Request in progress for the file. */
  const [work, setWork] = useState<string | undefined>(undefined);
  const action = useAction();
  const run = (subject: string, job: () => Promise<void>) => {
    setWork(subject);
    return action.run(job).finally(() => setWork(undefined));
  };
  const check = (file: File) => {
    setChecked(undefined);
    setResult(undefined);
    void run(t("import.checking", { name: file.name }), async () => {
      // Read once: a spreadsheet that saves meanwhile must not change what was looked at.
      const bytes = new Uint8Array(await file.arrayBuffer());
      const copy = new Blob([bytes], { type: "text/csv" });
      const validation = await bulkApi.validate(copy);
      setChecked({ file: copy, name: file.name, table: parseCsvTable(decodeCsv(bytes)), validation });
    });
  };
  const send = (partial: boolean) => {
    if (!checked) return;
    void run(t("import.importing"), async () => setResult(await bulkApi.import(checked.file, partial)));
  };
  return (
    <div class="mx-auto flex h-full max-w-6xl flex-col gap-4 p-4 3xl:max-w-[100rem] lg:p-8">
      <Trail steps={[{ href: "/devices", text: t("nav.devices") }]} />
      <PageHead title={t("import.title")} />
      {!may("devices:write") && (
        <div class="panel">
          <Empty title={t("error.forbidden")} hint={t("import.intro")} />
        </div>
      )}
      {may("devices:write") && (
        <>
          {!checked && <FileChooser busy={work !== undefined} onFile={check} />}
          {work !== undefined && (
            <div role="status" class="flex flex-col gap-2">
              <p>{work}</p>
              <progress class="progress progress-primary w-full" aria-label={work} />
            </div>
          )}
          <ErrorNote error={action.error} />
          {checked && !result && (
            <ImportPreview
              name={checked.name}
              table={checked.table}
              validation={checked.validation}
              busy={work !== undefined}
              onImport={send}
              onOther={() => setChecked(undefined)}
            />
          )}
          {result && (
            <ImportOutcome
              result={result}
              onOther={() => {
                setChecked(undefined);
                setResult(undefined);
              }}
            />
          )}
        </>
      )}
    </div>
  );
}

function FileChooser({ busy, onFile }: { busy: boolean; onFile: (file: File) => void }) {
  const [over, setOver] = useState(false);
  const template = useAction();
  const drop = (e: DragEvent) => {
    e.preventDefault();
    setOver(false);
    const file = e.dataTransfer?.files[0];
    if (file && !busy) onFile(file);
  };
  return (
    <>
      <p class="max-w-2xl text-soft">{t("import.intro")}</p>
      <label
        class={`panel flex cursor-pointer flex-col items-center gap-3 border-2 border-dashed px-6 py-12 text-center focus-within:outline-2 focus-within:outline-primary ${over ? "border-primary" : ""}`}
        onDragOver={(e) => {
          e.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <FileUp size={32} class="text-soft" aria-hidden="true" />
        <span class="text-lg font-medium">{t("import.drop")}</span>
        <span class="btn btn-primary btn-sm" aria-hidden="true">
          {t("import.select")}
        </span>
        <input
          class="sr-only"
          type="file"
          accept=".csv,.txt,text/csv"
          disabled={busy}
          onChange={(e) => {
            const file = e.currentTarget.files?.[0];
            e.currentTarget.value = ""; // the same file again, after it was mended
            if (file) onFile(file);
          }}
        />
      </label>
      <div class="flex flex-wrap items-center gap-3">
        <Button
          icon={Download}
          disabled={template.busy}
          onClick={() => template.run(async () => saveFile(await bulkApi.template(), "devices-template.csv"))}
        >
          {t("import.template")}
        </Button>
        <span class="text-sm text-soft">{t("import.templateHint")}</span>
      </div>
      <ErrorNote error={template.error} />
    </>
  );
}
